/* Unit tests of ibevent's notices: formatting their records, and naming the kernel's numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibevent/notice.h"

#include "../../tools/ibevent/eventname.h"
#include "../../tools/ibevent/verbsdriver.h"
#include "check.h"

#include <stdio.h>

#define HEAD "\"v\":1,\"node\":\"n\",\"ts\":\"2026-01-02T03:04:05.000001Z\",\"boottime_ns\":7,"

static const char *
formatted(struct notice notice)
{
	static char line[REC_EVENT_MAX_BYTES + 1];
	notice.when =
		(struct clock_moment){.boottime_ns = 7, .stamp = "2026-01-02T03:04:05.000001Z"};
	line[notice_format(&notice, "n", line)] = '\0';
	return line;
}

static void
async(void)
{
	struct notice notice = {.kind = NOTICE_ASYNC,
		.via = VIA_LINK,
		.device = "mlx5_0",
		.port = 1,
		.event = "LINK_DOWN",
		.fabric_error = true,
		.count = 2};
	CHECK_STR(formatted(notice),
		"{\"kind\":\"async\"," HEAD "\"via\":\"link\",\"device\":\"mlx5_0\",\"port\":1,"
		"\"event\":\"LINK_DOWN\",\"fabric_error\":true,\"count\":2}\n");
	notice = (struct notice){.kind = NOTICE_ASYNC,
		.via = VIA_VERBS,
		.device = "mlx5_0",
		.event = "DEVICE_FATAL",
		.removed = true,
		.count = 1};
	CHECK_STR(formatted(notice),
		"{\"kind\":\"async\"," HEAD "\"via\":\"verbs\",\"device\":\"mlx5_0\",\"port\":null,"
		"\"event\":\"DEVICE_FATAL\",\"fabric_error\":false,\"count\":1,\"removed\":true}"
		"\n");
	notice = (struct notice){.kind = NOTICE_ASYNC,
		.via = VIA_UEVENT,
		.event = "PCI_FAILED_RECOVERY",
		.fabric_error = true,
		.pci = "0000:18:00.0",
		.count = 1};
	CHECK_STR(formatted(notice),
		"{\"kind\":\"async\"," HEAD "\"via\":\"uevent\",\"device\":null,\"port\":null,"
		"\"event\":\"PCI_FAILED_RECOVERY\",\"fabric_error\":true,\"count\":1,"
		"\"pci\":\"0000:18:00.0\"}\n");
}

static void
cm(void)
{
	struct notice notice = {.kind = NOTICE_CM,
		.via = VIA_TRACE,
		.event = "UNREACHABLE",
		.status = -110,
		.cause = "network",
		.count = 3};
	CHECK_STR(formatted(notice),
		"{\"kind\":\"cm\"," HEAD "\"via\":\"trace\",\"device\":null,"
		"\"event\":\"UNREACHABLE\",\"status\":-110,\"cause\":\"network\",\"count\":3}\n");
	notice.peers = 2;
	CHECK_STR(formatted(notice),
		"{\"kind\":\"cm\"," HEAD "\"via\":\"trace\",\"device\":null,"
		"\"event\":\"UNREACHABLE\",\"status\":-110,\"cause\":\"network\",\"peers\":2,"
		"\"count\":3}\n");
}

static void
gap(void)
{
	struct notice notice = {.kind = NOTICE_GAP, .via = VIA_UEVENT};
	CHECK_STR(
		formatted(notice), "{\"kind\":\"gap\"," HEAD "\"via\":\"uevent\",\"lost\":null}\n");
	notice.count = 12;
	CHECK_STR(formatted(notice), "{\"kind\":\"gap\"," HEAD "\"via\":\"uevent\",\"lost\":12}\n");
}

/* Whatever bytes the names contain, the result is one line that fits. */
static void
hostile(void)
{
	struct notice notice = {.kind = NOTICE_ASYNC, .event = "X", .count = UINT32_MAX};
	char node[REC_NODE_MAX_BYTES + 1], line[REC_EVENT_MAX_BYTES];
	memset(node, 1, REC_NODE_MAX_BYTES);
	node[REC_NODE_MAX_BYTES] = '\0';
	memset(notice.device, '\n', sizeof notice.device - 1);
	memset(notice.pci, 0xff, sizeof notice.pci - 1);
	size_t length = notice_format(&notice, node, line);
	json_t *record = json_loadb(line, length, 0, NULL);
	CHECK(record != NULL);
	CHECK(memchr(line, '\n', length) == line + length - 1);
	CHECK_STR(json_string_value(json_object_get(record, "node")), node);
	CHECK_STR(json_string_value(json_object_get(record, "device")), notice.device);
	json_decref(record);
}

static void
names_that_fit(void)
{
	char out[4] = "xyz";
	CHECK(notice_copy(out, sizeof out, "abcd", 3));
	CHECK_STR(out, "abc");
	CHECK(!notice_copy(out, sizeof out, "abcd", 4));
	CHECK_STR(out, "");
}

static void
async_events(void)
{
	CHECK_STR(eventname_async(10)->name, "PORT_ERR");
	CHECK(eventname_async(10)->fabric_error && eventname_async(10)->has_port);
	CHECK(!eventname_async(9)->fabric_error && eventname_async(9)->has_port);
	CHECK_STR(eventname_async(EVENTNAME_DEVICE_FATAL)->name, "DEVICE_FATAL");
	CHECK(eventname_async(0)->fabric_error && !eventname_async(0)->has_port);
	CHECK_STR(eventname_async(19)->name, "WQ_FATAL");
	CHECK_STR(eventname_async(20)->name, "UNKNOWN");
	CHECK(!eventname_async(UINT32_MAX)->fabric_error);
	for (uint32_t type = 0; type < 20; type++)
		CHECK(eventname_async(type)->name != NULL);
}

static void
cm_events(void)
{
	static const struct {
		uint32_t type;
		int32_t status;
		const char *name, *cause; /* NULL: no failure */
	} rows[] = {
		{0, 0, NULL, NULL},
		{1, -110, "ADDR_ERROR", "network"},
		{2, 0, NULL, NULL},
		{3, -22, "ROUTE_ERROR", "network"},
		{4, 0, NULL, NULL},
		{5, 0, NULL, NULL},
		{6, -22, "CONNECT_ERROR", "unknown"},
		{7, -110, "UNREACHABLE", "network"},
		{8, 8, "REJECTED", "remote"},
		{9, 0, NULL, NULL},
		{10, 0, "DISCONNECTED", "unknown"},
		{10, -110, "DISCONNECTED", "network"},
		{11, 0, "DEVICE_REMOVAL", "local"},
		{12, 0, NULL, NULL},
		{13, -22, "MULTICAST_ERROR", "unknown"},
		{14, 0, "ADDR_CHANGE", "local"},
		{15, 0, NULL, NULL},
		{UINT32_MAX, 0, NULL, NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%u/%d", rows[i].type, rows[i].status);
		const struct eventname_cm *event = eventname_cm(rows[i].type, rows[i].status);
		CHECK_STR(event != NULL ? event->name : NULL, rows[i].name);
		CHECK_STR(event != NULL ? event->cause : NULL, rows[i].cause);
	}
}

static void
drivers(void)
{
	CHECK(verbsdriver_lets_go("mlx5_core"));
	CHECK(verbsdriver_lets_go("bnxt_en"));
	CHECK(verbsdriver_lets_go("ionic"));
	CHECK(verbsdriver_lets_go("idpf"));
	CHECK(!verbsdriver_lets_go("efa"));
	CHECK(!verbsdriver_lets_go("hfi1"));
	CHECK(!verbsdriver_lets_go("mlx5"));
	CHECK(!verbsdriver_lets_go("mlx5_core2"));
	CHECK(!verbsdriver_lets_go(""));
}

static const struct check_test tests[] = {
	{"an asynchronous event has exactly the fields of its record", async},
	{"an event of a connection has no address and no id", cm},
	{"a gap has the number of lost events, or null", gap},
	{"any names make one line of JSON", hostile},
	{"a name that does not fit is dropped", names_that_fit},
	{"asynchronous events are named by the kernel's numbers", async_events},
	{"the cause of a connection's event follows its type and status", cm_events},
	{"only devices whose driver can remove an open device are opened", drivers},
};

CHECK_MAIN(tests)
