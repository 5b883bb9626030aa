/* Unit tests of lnetread's lnet, outcome, fault and record: parsing a read, its missing parts, and
 * its records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/lnetread/fault.h"
#include "../../tools/lnetread/lnet.h"
#include "../../tools/lnetread/record.h"

#include "check.h"
#include "diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct lnet lnet;
static const struct clock_moment when = {.boottime_ns = 7, .stamp = "2026-11-25T16:48:41.000000Z"};

#define NI(rest) \
	"net:\n- net type: o2ib\n  local NI(s):\n  - nid: 10.0.0.1@o2ib\n    status: up\n" rest
#define STATISTICS "statistics:\n    send_count: 5\n"

static void
parse(const char *text)
{
	CHECK_INT(lnet_parse(text, strlen(text), false, &lnet), LNET_PARSED);
}

/* Return the record as text without the members common to all, to free(). */
static char *
text_of_new(json_t *record)
{
	json_object_del(record, "kind");
	json_object_del(record, "v");
	json_object_del(record, "ts");
	json_object_del(record, "boottime_ns");
	char *text = json_dumps(record, JSON_COMPACT);
	json_decref(record);
	return text;
}

static void
check_text(json_t *record, const char *expected)
{
	char *text = text_of_new(record);
	CHECK_STR(text, expected);
	free(text);
}

static void
local_ni(void)
{
	static const struct {
		const char *text, *record;
	} rows[] = {
		{NI(""), "{\"net\":\"o2ib\",\"status\":\"up\",\"counters\":{}}"},
		{NI("    interfaces:\n        0: ib0\n        1: ib1\n"),
			"{\"net\":\"o2ib\",\"netdev\":\"ib0\",\"status\":\"up\",\"counters\":{}}"},
		{NI("    health stats:\n        fatal_error: 0\n        health value: 0\n"
		    "        no route: 3\n"),
			"{\"net\":\"o2ib\",\"status\":\"up\",\"fatal_error\":false,"
			"\"health_value\":0,\"counters\":{\"no_route\":3}}"},
		{NI("    health stats:\n        fatal_error: 2\n        timeouts: -1\n"),
			"{\"net\":\"o2ib\",\"status\":\"up\",\"fatal_error\":true,"
			"\"counters\":{\"timeouts\":null}}"},
		{NI("    health stats:\n        fatal_error: no\n"
		    "        timeouts: 18446744073709551616\n"),
			"{\"net\":\"o2ib\",\"status\":\"up\",\"fatal_error\":null,"
			"\"counters\":{\"timeouts\":null}}"},
		{NI("    statistics:\n        send_count: 18446744073709551615\n"),
			"{\"net\":\"o2ib\",\"status\":\"up\",\"counters\":{\"send_count\":"
			"\"18446744073709551615\"}}"},
		{NI("    interfaces:\n        0: 10.0.0.9@tcp\n"),
			"{\"net\":\"o2ib\",\"netdev\":null,\"status\":\"up\",\"counters\":{}}"},
		{NI("    interfaces:\n        0: 10.0.0.9\n"),
			"{\"net\":\"o2ib\",\"netdev\":null,\"status\":\"up\",\"counters\":{}}"},
		{NI("    interfaces:\n        0: fd00::1\n"),
			"{\"net\":\"o2ib\",\"netdev\":null,\"status\":\"up\",\"counters\":{}}"},
		{NI("    interfaces:\n        0:\n"),
			"{\"net\":\"o2ib\",\"netdev\":null,\"status\":\"up\",\"counters\":{}}"},
		{NI("    interfaces:\n        0: bond0.10\n"),
			"{\"net\":\"o2ib\",\"netdev\":\"bond0.10\",\"status\":\"up\",\"counters\":{"
			"}}"},
		{NI("    interfaces:\n        0: ib23456789012345\n"),
			"{\"net\":\"o2ib\",\"netdev\":null,\"status\":\"up\",\"counters\":{}}"},
		{NI("    interfaces:\n        0: ib2345678901234\n"),
			"{\"net\":\"o2ib\",\"netdev\":\"ib2345678901234\",\"status\":\"up\","
			"\"counters\":{}}"},
		{NI("    interfaces:\n        0: /ib0\n"),
			"{\"net\":\"o2ib\",\"netdev\":null,\"status\":\"up\",\"counters\":{}}"},
		{NI("    interfaces:\n        0: ../ib0\n"),
			"{\"net\":\"o2ib\",\"netdev\":null,\"status\":\"up\",\"counters\":{}}"},
	};

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		parse(rows[i].text);
		CHECK_U64(lnet.ni_count, 1);
		check_text(record_ni_new(&lnet.nis[0], &when), rows[i].record);
	}
}

static void
several_nis(void)
{
	parse("net:\n- net type: lo\n  local NI(s):\n  - status: up\n- net type: tcp\n"
	      "  local NI(s):\n  - interfaces: {0: a}\n  - interfaces: {0: b}\n"
	      "- local NI(s):\n  - interfaces: {0: c}\n");
	CHECK_U64(lnet.ni_count, 3);
	CHECK_STR(lnet.nis[0].net.text, "tcp");
	CHECK_STR(lnet.nis[1].netdev.text, "b");
	CHECK_STR(lnet.nis[1].net.text, "tcp");
	CHECK_INT(lnet.nis[2].net.state, LNET_ABSENT);
}

static void
no_nis(void)
{
	static const char *const texts[] = {
		"net:\n- net type: lo\n  local NI(s):\n  - status: up\n",
		"net:\n  local NI(s):\n    status: up\n    statistics: {send_count: 1}\n",
		"net: none\n",
	};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		check_row("%s", texts[i]);
		parse(texts[i]);
		CHECK_U64(lnet.ni_count, 0);
		CHECK_STR(lnet_missing(&lnet, LNET_NET), NULL);
	}
	check_row("%s", "");
	parse(NI("- net type: lo\n  local NI(s):\n  - status: down\n"));
	CHECK_STR(lnet.nis[0].status.text, "up");
}

static void
parse_many(size_t count)
{
	char *text = malloc(64 + 16 * count);
	size_t length = (size_t)sprintf(text, "net:\n- net type: tcp\n  local NI(s):\n");
	for (size_t i = 0; i < count; i++)
		length += (size_t)sprintf(text + length, "  - status: up\n");
	parse(text);
	free(text);
}

static void
many_nis(void)
{
	parse_many(LNET_NIS_MAX);
	CHECK(!lnet.is_malformed);
	CHECK_U64(lnet.ni_count, LNET_NIS_MAX);
	parse_many(LNET_NIS_MAX + 1);
	CHECK(lnet.is_malformed);
	CHECK_STR(lnet.refusal, "more than 256 local NIs");
}

#define PEER(values) "  - nid: 10.0.0.9@o2ib\n    health stats: {" values "}\n"

static void
peers(void)
{
	static const struct {
		const char *text, *record;
	} rows[] = {
		{"peer:\n", "{\"peers\":0,\"peer_nis\":0,\"counters\":{}}"},
		{"peer:\n- peer ni:\n" PEER("health value: 1000, timeout: 1") PEER(
			 "health value: 999, timeout: 2") "- peer ni:\n" PEER("health value: 1000"),
			"{\"peers\":2,\"peer_nis\":3,\"lowest_health_value\":999,"
			"\"below_full_health\":1,\"counters\":{\"timeout\":3}}"},
		{"peer:\n- peer ni:\n" PEER("timeout: 3, error: 0") PEER("timeout: 0, error: 0"),
			"{\"peers\":1,\"peer_nis\":2,\"counters\":{\"timeout\":3,\"error\":0}}"},
		{"peer:\n- peer ni:\n" PEER("timeout: x, error: 1") PEER("timeout: 2, error: 1"),
			"{\"peers\":1,\"peer_nis\":2,\"counters\":{\"timeout\":null,\"error\":2}}"},
		{"peer:\n- peer ni:\n" PEER("dropped: 18446744073709551615, network timeout: 3")
				PEER("dropped: 1"),
			"{\"peers\":1,\"peer_nis\":2,\"counters\":{\"dropped\":"
			"\"18446744073709551615\",\"network_timeout\":3}}"},
	};

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		parse(rows[i].text);
		check_text(record_peers_new(&lnet.peers, &when), rows[i].record);
	}
}

/* The errno, exit code and message of each failure. */
static void
outcomes(void)
{
	static const struct {
		const char *text, *end, *reason;
		int code;
	} rows[] = {
		{NI("") STATISTICS "global:\n    health_sensitivity: 0\n",
			"{\"nis\":1,\"complete\":true,\"unreadable\":{},\"health_sensitivity\":0}",
			"", 0},
		{NI(""),
			"{\"nis\":1,\"complete\":false,\"unreadable\":{\"statistics\":"
			"\"missing\"}}",
			"it lacks statistics", EXIT_DATA},
		{STATISTICS, "{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"missing\"}}",
			"it lacks net", EXIT_DATA},
		{"",
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"missing\","
			"\"statistics\":\"missing\"}}",
			"it has no output of lnetctl", EXIT_NO_INPUT},
		{"show:\n    - net:\n          errno: -100\n          descr: \"cannot get "
		 "networks: Network is down\"\n",
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"ENETDOWN\","
			"\"statistics\":\"missing\"}}",
			"lnetctl failed: cannot get networks: Network is down", EXIT_UNAVAILABLE},
		{"---\nshow:\n-     net:\n      errno: 1\n      descr: \"Operation not "
		 "permitted\"\n...\n---\nshow:\n-     peer:\n      errno: 13\n"
		 "      descr: \"no\"\n...\n" STATISTICS,
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"EPERM\","
			"\"peer\":\"EACCES\"}}",
			"lnetctl failed: Operation not permitted", EXIT_NO_PERMISSION},
		{"show:\n    - stats:\n          errno: -13\n" NI(""),
			"{\"nis\":1,\"complete\":false,\"unreadable\":{\"statistics\":"
			"\"EACCES\"}}",
			"lnetctl failed: EACCES", EXIT_NO_PERMISSION},
		{"show:\n    - stats:\n          errno: -13\n" NI("") STATISTICS,
			"{\"nis\":1,\"complete\":false,\"unreadable\":{\"statistics\":"
			"\"EACCES\"}}",
			"lnetctl failed: EACCES", EXIT_NO_PERMISSION},
		{"show:\n    - net:\n          note: x\n          errno: -100\n",
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"ENETDOWN\","
			"\"statistics\":\"missing\"}}",
			"lnetctl failed: ENETDOWN", EXIT_UNAVAILABLE},
		{"show:\n-     net:\n      seqno: 5\n      errno: 100\n",
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"ENETDOWN\","
			"\"statistics\":\"missing\"}}",
			"lnetctl failed: ENETDOWN", EXIT_UNAVAILABLE},
		{"show:\n    - net:\n          errno: many\n" STATISTICS,
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"failed\"}}",
			"lnetctl failed: failed", EXIT_UNAVAILABLE},
		{"opening /dev/lnet failed: No such file or directory\nhint: the kernel modules "
		 "may not be loaded\n",
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"ENOENT\","
			"\"statistics\":\"ENOENT\"}}",
			"lnetctl failed: opening /dev/lnet failed: No such file or directory",
			EXIT_UNAVAILABLE},
		{"opening /dev/lnet failed: Permission denied\n",
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"EACCES\","
			"\"statistics\":\"EACCES\"}}",
			"lnetctl failed: opening /dev/lnet failed: Permission denied",
			EXIT_NO_PERMISSION},
		{"lnetctl:\n    - startup:\n          errno: -1\n          descr: \"cannot "
		 "register LNet device\"\n",
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"EPERM\","
			"\"statistics\":\"EPERM\"}}",
			"lnetctl failed: cannot register LNet device", EXIT_NO_PERMISSION},
		/* A tool that tried twice. */
		{"opening /dev/lnet failed: Permission denied\n" NI("") STATISTICS,
			"{\"nis\":1,\"complete\":true,\"unreadable\":{}}", "", 0},
		{NI("") STATISTICS NI(""),
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"malformed\","
			"\"statistics\":\"malformed\"}}",
			"net twice: a '# lnetread' line must begin each read", EXIT_DATA},
		{NI("") "sh: 1: lnetctl: not found\n",
			"{\"nis\":0,\"complete\":false,\"unreadable\":{\"net\":\"malformed\","
			"\"statistics\":\"malformed\"}}",
			"line 6 of the read: mapping values are not allowed in this context",
			EXIT_DATA},
		{NI("    health stats: {error: 1x}\n") STATISTICS,
			"{\"nis\":1,\"complete\":true,\"unreadable\":{}}",
			"not what lnetctl prints: net/local NI(s)/health stats/error: '1x'",
			EXIT_DATA},
		{"global: {health_sensitivity: x}\n" NI("") STATISTICS,
			"{\"nis\":1,\"complete\":true,\"unreadable\":{},"
			"\"health_sensitivity\":null}",
			"not what lnetctl prints: global/health_sensitivity: 'x'", EXIT_DATA},
		{"net:\nstatistics:\n", "{\"nis\":0,\"complete\":true,\"unreadable\":{}}", "", 0},
	};
	char reason[LNET_REASON_SIZE];

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		parse(rows[i].text);
		CHECK_INT(lnet_problem(&lnet, reason), rows[i].code);
		CHECK_STR(reason, rows[i].reason);
		check_text(record_end_new(&lnet, &when), rows[i].end);
	}
}

static void
cut(void)
{
	static const char text[] = NI("") STATISTICS;
	char reason[LNET_REASON_SIZE];
	CHECK_INT(lnet_parse(text, strlen(text), true, &lnet), LNET_PARSED);
	CHECK_INT(lnet_problem(&lnet, reason), EXIT_DATA);
	CHECK_STR(reason, "its end is missing");
	check_text(
		record_end_new(&lnet, &when), "{\"nis\":1,\"complete\":false,\"unreadable\":{}}");
}

static void
statistics(void)
{
	parse("statistics:\n    send_count: 5\n    local_timeout_count: 0\n    msgs_alloc: 1\n"
	      "    network_timeout_count: 3x\n");
	json_t *record = record_statistics_new(&lnet, &when);
	char *head = json_dumps(record, JSON_COMPACT);
	CHECK_HAS(head, "{\"kind\":\"lnet.stats\",\"v\":1,\"ts\":\"2026-11-25T16:48:41.000000Z\","
			"\"boottime_ns\":7,");
	free(head);
	check_text(record, "{\"counters\":{\"send_count\":5,\"local_timeout_count\":0,"
			   "\"network_timeout_count\":null}}");
}

static void
faults(void)
{
	static const struct {
		const char *text;
		int error;
	} rows[] = {{"-100", ENETDOWN}, {"100", ENETDOWN}, {"4095", 4095}, {"4096", 0}, {"0", 0},
		{"--1", 0}, {"", 0}, {"1 ", 0}};

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		CHECK_INT(fault_errno(rows[i].text), rows[i].error);
	}
	check_row("%s", "");
	CHECK_INT(fault_errno_of_message("No such device"), ENODEV);
	CHECK_INT(fault_errno_of_message("No such device or address"), ENXIO);
	CHECK_INT(fault_errno_of_message("Operation not permitted"), EPERM);
	CHECK_INT(fault_errno_of_message("No space left on device"), 0);
	CHECK_INT(fault_exit_code(EACCES), EXIT_NO_PERMISSION);
	CHECK_INT(fault_exit_code(0), EXIT_UNAVAILABLE);
}

static const struct check_test tests[] = {
	{"in a local NI, absent keys are absent, unreadable values null, and 0 is 0", local_ni},
	{"each local NI has the type of its own net, and the loopback is left out", several_nis},
	{"the loopback, and any other value in the place of local NIs, gives no NI", no_nis},
	{"a read with more than 256 local NIs is malformed", many_nis},
	{"peers are summed: unreadable if one value is, and never beyond 64 bits", peers},
	{"a missing part has its errno or reason, one message and an exit code", outcomes},
	{"a read without its end is incomplete", cut},
	{"the node's counters have lnetctl's names", statistics},
	{"an errno is accepted with either sign, up to the kernel's largest", faults},
};

CHECK_MAIN(tests)
