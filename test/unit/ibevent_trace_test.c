/* Unit tests of ibevent's traceline: parsing lines of a trace_pipe. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibevent/traceline.h"
#include "check.h"

#include <arpa/inet.h>
#include <stdio.h>

static struct notice notice;
static struct traceline_ends ends;

static int
parse(const char *line)
{
	return (int)traceline_parse(line, &notice, &ends);
}

#define HEAD "     kworker/1:2-4711    [001] .....   123.456789: "
#define CM HEAD "cm_event_handler: cm.id=3 src=10.0.0.1:4791 dst=10.0.0.2:7174 tos=0 "
#define PROBE "(ib_uverbs_qp_event_handler+0x0/0x60 [ib_uverbs]) "

static void
connections(void)
{
	char text[INET6_ADDRSTRLEN];
	CHECK_INT(parse(CM "REJECTED (8/8)"), TRACELINE_NOTICE);
	CHECK_INT(notice.kind, NOTICE_CM);
	CHECK_INT(notice.via, VIA_TRACE);
	CHECK_STR(notice.event, "REJECTED");
	CHECK_STR(notice.cause, "remote");
	CHECK_INT(notice.status, 8);
	CHECK_U64(notice.count, 1);
	CHECK_INT(ends.here.family, AF_INET);
	CHECK_STR(inet_ntop(AF_INET, &ends.here.bytes, text, sizeof text), "10.0.0.1");
	CHECK_INT(ends.peer.family, AF_INET);
	CHECK_STR(inet_ntop(AF_INET, &ends.peer.bytes, text, sizeof text), "10.0.0.2");
	CHECK_INT(parse(CM "UNREACHABLE (7/-110)"), TRACELINE_NOTICE);
	CHECK_INT(notice.status, -110);
	CHECK_STR(notice.cause, "network");
	CHECK_INT(
		parse(HEAD "cm_event_handler: cm.id=3 src=[fd00::1]:4791 dst=[fd00::2]:7174 tos=0 "
			   "DISCONNECTED (10/0)"),
		TRACELINE_NOTICE);
	CHECK_INT(ends.here.family, AF_INET6);
	CHECK_STR(inet_ntop(AF_INET6, &ends.here.bytes, text, sizeof text), "fd00::1");
	CHECK_INT(ends.peer.family, AF_INET6);
	CHECK_STR(inet_ntop(AF_INET6, &ends.peer.bytes, text, sizeof text), "fd00::2");
	CHECK_INT(parse(CM "ESTABLISHED (9/0)"), TRACELINE_OTHER);
	CHECK_INT(parse(CM "NEW (99/0)"), TRACELINE_OTHER);
	/* An invalid address is unknown. */
	CHECK_INT(parse(HEAD "cm_event_handler: cm.id=3 src=x dst=x tos=0 REJECTED (8/8)"),
		TRACELINE_NOTICE);
	CHECK_INT(ends.here.family, AF_UNSPEC);
}

static void
probes(void)
{
	static const char *const names[] = {"ib_qp", "ib_cq", "ib_srq", "ib_wq"};
	for (size_t i = 0; i < CHECK_COUNT(names); i++) {
		char line[256];
		check_row("%s", names[i]);
		snprintf(line, sizeof line, HEAD "%s: " PROBE "event=1 dev=\"rxe0\"", names[i]);
		CHECK_INT(parse(line), TRACELINE_NOTICE);
		CHECK_INT(notice.kind, NOTICE_ASYNC);
		CHECK_STR(notice.event, "QP_FATAL");
		CHECK(notice.fabric_error);
		CHECK_STR(notice.device, "rxe0");
		CHECK_U64(notice.port, 0);
	}
	CHECK_INT(parse(HEAD "ib_event: " PROBE "event=10 port=2 dev=\"mlx5_0\""),
		TRACELINE_OF_DEVICE);
	CHECK_STR(notice.event, "PORT_ERR");
	CHECK_U64(notice.port, 2);
	/* This event has no port, whatever the field contains. */
	CHECK_INT(parse(HEAD "ib_event: " PROBE "event=1 port=77 dev=\"mlx5_0\""),
		TRACELINE_OF_DEVICE);
	CHECK_U64(notice.port, 0);
	CHECK_INT(parse(HEAD "ib_qp: " PROBE "event=1 dev=(fault)"), TRACELINE_NOTICE);
	CHECK_STR(notice.device, "");
	CHECK_INT(parse(HEAD "ib_qp: " PROBE "event=77 dev=\"a\""), TRACELINE_NOTICE);
	CHECK_STR(notice.event, "UNKNOWN");
}

static void
losses(void)
{
	CHECK_INT(parse("CPU:0 [LOST 123 EVENTS]"), TRACELINE_NOTICE);
	CHECK_INT(notice.kind, NOTICE_GAP);
	CHECK_U64(notice.count, 123);
	CHECK_INT(parse("CPU:12 [LOST 1 EVENTS]"), TRACELINE_NOTICE);
	CHECK_INT(parse("CPU:0 [LOST x EVENTS]"), TRACELINE_MALFORMED);
	CHECK_INT(parse("CPU:0 [LOST 99999999999 EVENTS]"), TRACELINE_MALFORMED);
	CHECK_INT(parse("CPU:0 [LOST 1 EVENTS] "), TRACELINE_MALFORMED);
	CHECK_INT(parse("CPU:"), TRACELINE_MALFORMED);
}

/* A task chooses its name, which must neither forge nor hide an event. */
static void
forged(void)
{
	CHECK_INT(parse("1: ib_qp: event=-4711    [001] .....   123.456789: sched_wakeup: x"),
		TRACELINE_OTHER);
	CHECK_INT(parse("  a-1 [0] 1.2: x-4711    [001] .....   123.456789: ib_cq: " PROBE
			"event=0 dev=\"rxe0\""),
		TRACELINE_NOTICE);
	CHECK_STR(notice.event, "CQ_ERR");
	/* A name with a line feed gives two lines, both incomplete. */
	CHECK_INT(parse("             ab"), TRACELINE_OTHER);
	CHECK_INT(parse("cd-4711    [001] .....   123.456789: ib_cq: " PROBE "event=0 dev=\"a\""),
		TRACELINE_OTHER);
}

static void
heads(void)
{
	static const char rest[] = "ib_qp: " PROBE "event=1 dev=\"rxe0\"";
	static const struct {
		const char *head;
		bool is_one;
	} rows[] = {
		{"          <idle>-0       [063] ..s.. 99999.000001: ", true},
		{"     kworker/1:2-4711    [001]   123.456789: ", true},
		{"     kworker/1:2 4711    [001] .....   123.456789: ", false},
		{"     kworker/1:2-        [001] .....   123.456789: ", false},
		{"     kworker/1:2-4711     001] .....   123.456789: ", false},
		{"     kworker/1:2-4711    [001  .....   123.456789: ", false},
		{"     kworker/1:2-4711    [x] .....   123.456789: ", false},
		{"     kworker/1:2-4711    [001] .....   123: ", false},
		{"     kworker/1:2-4711    [001] .....   .456789: ", false},
		{"     kworker/1:2-4711    [001] ..... x 123.456789: ", false},
		{"     kworker/1:2-99999999999 [001] ..... 123.456789: ", false},
		{"                ", false},
		{"", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char line[256];
		check_row("%s", rows[i].head);
		snprintf(line, sizeof line, "%s%s", rows[i].head, rest);
		CHECK_INT(parse(line), rows[i].is_one ? TRACELINE_NOTICE : TRACELINE_OTHER);
	}
}

static void
malformed(void)
{
	static const char *const lines[] = {
		CM,
		CM "REJECTED",
		CM "REJECTED (8/8",
		CM "REJECTED (8/8) ",
		CM "REJECTED (8)",
		CM "REJECTED (8/)",
		CM "REJECTED (/8)",
		CM "REJECTED (-8/8)",
		CM "REJECTED (8/99999999999)",
		CM "REJECTED (99999999999/8)",
		HEAD "cm_event_handler: REJECTED (8/8)",
		HEAD "ib_qp: ",
		HEAD "ib_qp: event=1 dev=\"rxe0\"",
		HEAD "ib_qp: (ib_uverbs event=1 dev=\"rxe0\"",
		HEAD "ib_qp: " PROBE "event=x dev=\"rxe0\"",
		HEAD "ib_qp: " PROBE "event=99999999999 dev=\"rxe0\"",
		HEAD "ib_qp: " PROBE "event=1",
		HEAD "ib_qp: " PROBE "event=1 dev=rxe0",
		HEAD "ib_qp: " PROBE "event=1 dev=\"rxe0",
		HEAD "ib_qp: " PROBE "event=1 dev=\"rxe0\" more=1",
		HEAD "ib_qp: " PROBE "event=1 port=1 dev=\"rxe0\"",
		HEAD
		"ib_qp: " PROBE
		"event=1 dev=\"0123456789012345678901234567890123456789012345678901234567890123\"",
		HEAD "ib_event: " PROBE "event=1 dev=\"rxe0\"",
	};
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		check_row("%s", lines[i]);
		CHECK_INT(parse(lines[i]), TRACELINE_MALFORMED);
	}
	CHECK_INT(parse(HEAD "ib_qpx: " PROBE "event=1 dev=\"rxe0\""), TRACELINE_OTHER);
}

static const struct check_test tests[] = {
	{"an event of a connection has its failure and both addresses", connections},
	{"a probe's line gives the event and its device", probes},
	{"lost events are counted", losses},
	{"a task's name is not parsed as a part of the line", forged},
	{"only a line that starts as the kernel prints it is an event", heads},
	{"an event with a malformed rest is rejected", malformed},
};

CHECK_MAIN(tests)
