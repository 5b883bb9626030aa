/* Unit tests of emit's alerts: encoding alerts as Alertmanager's JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/alerts.h"

#include "check.h"
#include "num.h"

#include <stdlib.h>

/* 2026-01-02T03:04:05.678901Z */
#define SINCE_NS UINT64_C(1767323045678901000)

static const char *const messages[] = {
	"Port mlx5_0 port 1: down", "Card 0000:18:00 has 0 active ports"};

static const struct alert full = {
	.node = "gpu-42",
	.check = "InfiniBandStateCheck",
	.device = "mlx5_0",
	.port = "1",
	.code = "link_downed,saturated",
	.fatal = true,
	.messages = messages,
	.message_count = 2,
	.action = "REPLACE_VM",
	.since_ns = SINCE_NS,
	.ends_ns = SINCE_NS + 300 * NUM_NS_PER_S,
};

/* Encode alerts that fit into one list, and return it parsed. */
static json_t *
encoded_new(const struct alert *alerts, size_t count)
{
	char *body = alerts_encode_new(alerts, count);
	CHECK_STR(body + strlen(body) + 1, "");
	json_t *list = json_loads(body, JSON_REJECT_DUPLICATES, NULL);
	CHECK_U64(json_array_size(list), count);
	free(body);
	return list;
}

static const char *
at(const json_t *list, size_t index, const char *part, const char *key)
{
	const json_t *alert = json_array_get(list, index);
	return json_string_value(
		json_object_get(part != NULL ? json_object_get(alert, part) : alert, key));
}

static void
whole(void)
{
	json_t *list = encoded_new(&full, 1);
	json_t *expected = check_json_new(
		"[{'labels':{'alertname':'NicLinkDownedSaturated','node':'gpu-42','check':'"
		"InfiniBandStateCheck','device':'mlx5_0','port':'1',"
		"'code':'link_downed,saturated','severity':'critical'},'annotations':{"
		"'summary':'mlx5_0 port 1 of gpu-42: link_downed,saturated',"
		"'description':'Port mlx5_0 port 1: down\\nCard 0000:18:00 has 0 active ports',"
		"'message':'Port mlx5_0 port 1: "
		"down','action':'REPLACE_VM'},'startsAt':'2026-01-02T03:04:05.678901Z','endsAt':'"
		"2026-01-02T03:09:05.678901Z'}]");
	CHECK(json_equal(list, expected));
	json_decref(expected);
	json_decref(list);
}

static void
runbooks(void)
{
	struct alert alert = full;
	alert.runbook_url = "https://w/{page}.md#{code}";
	json_t *list = encoded_new(&alert, 1);
	CHECK_STR(at(list, 0, "annotations", "runbook_url"), "https://w/saturated.md#saturated");
	json_decref(list);
	alert.code = NULL;
	alert.check = "NICPollStallCheck";
	list = encoded_new(&alert, 1);
	CHECK_STR(at(list, 0, "annotations", "runbook_url"),
		"https://w/unreadable.md#NICPollStallCheck");
	json_decref(list);
}

static void
severities(void)
{
	struct alert warning = full;
	warning.fatal = false;
	json_t *list = encoded_new(&warning, 1);
	CHECK_STR(at(list, 0, "labels", "severity"), "warning");
	json_decref(list);
}

static void
empty_texts(void)
{
	const struct alert bare[] = {{.check = "c"},
		{.node = "", .check = "c", .device = "", .port = "", .code = "", .action = ""}};
	json_t *list = encoded_new(bare, 2);
	json_t *expected = check_json_new(
		"{'labels':{'alertname':'NicHealth','check':'c','severity':'warning'},"
		"'annotations':{'summary':'RDMA NICs: c'},"
		"'startsAt':'1970-01-01T00:00:00.000000Z','endsAt':'1970-01-01T00:00:00.000000Z'}");
	CHECK(json_equal(json_array_get(list, 0), expected));
	CHECK(json_equal(json_array_get(list, 1), expected));
	json_decref(expected);
	json_decref(list);
}

static void
odd_texts(void)
{
	struct alert odd = full;
	odd.device = "a\"\\\n\x01";
	odd.code = "\xFF"
		   "x\xC3";
	static const char *const odd_messages[] = {"Größe \xF0\x9F\x98\x80", "\xFF"};
	odd.messages = odd_messages;
	json_t *list = encoded_new(&odd, 1);
	CHECK_STR(at(list, 0, "labels", "device"), "a\"\\\n\x01");
	CHECK_STR(at(list, 0, "labels", "code"), "\xEF\xBF\xBD"
						 "x\xEF\xBF\xBD");
	CHECK_STR(at(list, 0, "annotations", "message"), "Größe \xF0\x9F\x98\x80");
	CHECK_STR(
		at(list, 0, "annotations", "description"), "Größe \xF0\x9F\x98\x80\n\xEF\xBF\xBD");
	json_decref(list);
}

static void
names(void)
{
	static const struct {
		const char *code, *expected;
	} rows[] = {
		{"link_downed", "NicLinkDowned"},
		{"port_state", "NicPortState"},
		{"card_ports", "NicCardPorts"},
		{"nic_gone", "NicGone"},
		{"nic_unreadable", "NicUnreadable"},
		{"nicest", "NicNicest"},
		{"nic", "NicNic"},
		{"nic_", "NicHealth"},
		{"symbol_error,saturated", "NicSymbolErrorSaturated"},
		{"mlx5_napi_soft_lockup", "NicMlx5NapiSoftLockup"},
		{"rx_crc_errors_phy", "NicRxCrcErrorsPhy"},
		{"PCIe AER-error", "NicPCIeAERError"},
		{"5xx", "Nic5xx"},
		{"", "NicHealth"},
		{"_,_\\,", "NicHealth"},
		{"\xC3\xBC"
		 "ber",
			"NicBer"},
	};
	char name[ALERTS_NAME_SIZE], *longest = check_repeat_new('a', 500);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].code);
		CHECK_STR(alerts_name(rows[i].code, name), rows[i].expected);
	}
	CHECK_U64(strlen(alerts_name(longest, name)), ALERTS_NAME_SIZE - 1);
	free(longest);
}

static void
summaries(void)
{
	static const struct {
		const char *node, *device, *port, *code, *expected;
	} rows[] = {
		{"n", "mlx5_0", "1", "link_downed", "mlx5_0 port 1 of n: link_downed"},
		{"n", "mlx5_0", "", "nic_gone", "mlx5_0 of n: nic_gone"},
		{"n", "0000:18:00", "", "card_ports", "0000:18:00 of n: card_ports"},
		{"n", "", "", "", "RDMA NICs of n: InfiniBandStateCheck"},
		{NULL, NULL, NULL, NULL, "RDMA NICs: InfiniBandStateCheck"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct alert alert = full;
		check_row("%zu", i);
		alert.node = rows[i].node;
		alert.device = rows[i].device;
		alert.port = rows[i].port;
		alert.code = rows[i].code;
		json_t *list = encoded_new(&alert, 1);
		CHECK_STR(at(list, 0, "annotations", "summary"), rows[i].expected);
		json_decref(list);
	}
}

static void
end_before_begin(void)
{
	struct alert alert = full;
	alert.ends_ns = SINCE_NS - NUM_NS_PER_S;
	json_t *list = encoded_new(&alert, 1);
	CHECK_STR(at(list, 0, NULL, "startsAt"), "2026-01-02T03:04:04.678901Z");
	CHECK_STR(at(list, 0, NULL, "endsAt"), "2026-01-02T03:04:04.678901Z");
	json_decref(list);
}

static void
several(void)
{
	struct alert alerts[3] = {full, full, full};
	alerts[1].port = "2";
	alerts[2].since_ns = alerts[2].ends_ns = UINT64_MAX;
	json_t *list = encoded_new(alerts, 3);
	CHECK_STR(at(list, 0, "labels", "port"), "1");
	CHECK_STR(at(list, 1, "labels", "port"), "2");
	CHECK_STR(at(list, 2, NULL, "endsAt"), "2554-07-21T23:34:33.709551Z");
	json_decref(list);
	json_decref(encoded_new(NULL, 0));
}

/* Lists are full, short enough, and together have all alerts in order. */
static void
lists(void)
{
	enum { COUNT = 3000 };
	static struct alert alerts[COUNT];
	static char ports[COUNT][8];
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(ports[i], sizeof ports[i], "%zu", i);
		alerts[i] = full;
		alerts[i].port = ports[i];
	}
	char *body = alerts_encode_new(alerts, COUNT);
	size_t seen = 0;
	for (const char *text = body; *text != '\0'; text += strlen(text) + 1) {
		CHECK(strlen(text) <= ALERTS_LIST_BYTES);
		json_t *list = json_loads(text, 0, NULL);
		size_t count = json_array_size(list);
		CHECK(count > 0 && count < COUNT);
		CHECK(seen + count == COUNT || strlen(text) > ALERTS_LIST_BYTES - 1000);
		for (size_t i = 0; i < count && seen < COUNT; i++)
			CHECK_STR(at(list, i, "labels", "port"), ports[seen++]);
		json_decref(list);
	}
	CHECK_U64(seen, COUNT);
	free(body);
}

static const struct check_test tests[] = {
	{"an alert has its labels, annotations, start and end", whole},
	{"an alert is named after its code", names},
	{"a summary names the fault and its place", summaries},
	{"an alert's annotations link to its runbook page", runbooks},
	{"an alert that is not fatal is a warning", severities},
	{"empty texts are left out", empty_texts},
	{"texts are escaped and made valid UTF-8", odd_texts},
	{"an end before the start does not make the other alerts invalid", end_before_begin},
	{"alerts keep their order, and no alerts give an empty list", several},
	{"many alerts become several lists that a proxy accepts", lists},
};
CHECK_MAIN(tests)
