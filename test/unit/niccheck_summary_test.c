/* Unit tests of niccheck's summary and lastscan: findings from events and from the last scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/niccheck/lastscan.h"

#include "nics.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- events, as ctreval writes them --- */

#define ENTITY(type, value) "{'entityType':'" type "','entityValue':'" value "'}"
#define NIC(device) ENTITY("NIC", device)
#define PORT(device, port) NIC(device) "," ENTITY("NICPort", port)

/* `codes` and `entities` are the inside of an array, `metadata` of an object. */
#define EVENT(check, fatal, healthy, entities, codes, metadata, message) \
	"{'kind':'event','checkName':'" check "','isFatal':" fatal ",'isHealthy':" healthy \
	",'message':'" message "','errorCode':[" codes "],'entitiesImpacted':[" entities \
	"],'metadata':{" metadata "}}"
#define FATAL(entities, message) EVENT("IB", "true", "false", entities, "", "", message)
#define DEGRADED(entities, message) EVENT("IB", "false", "false", entities, "", "", message)
#define HEALTHY(entities) EVENT("IB", "false", "true", entities, "", "", "well")
#define COUNTER(check, fatal, entities, codes, message) \
	EVENT(check, fatal, "false", entities, codes, "", message)
#define COUNTER_HEALTHY(check, entities, codes) \
	EVENT(check, "false", "true", entities, codes, "", "well")
#define CARD(devices) \
	EVENT("IB", "true", "false", NIC("0000:0c:00"), "", \
		"'role':'compute','devices':'" devices "'", "card")

/* --- the harness --- */

static void
take_events(struct summary *summary, const char *const *events, size_t count)
{
	for (size_t i = 0; i < count && events[i] != NULL; i++) {
		json_t *event = check_json_new(events[i]);
		summary_event(summary, event);
		json_decref(event);
	}
}

static void
take_decisions(struct summary *summary, const char *const *decisions, size_t count)
{
	for (size_t i = 0; i < count && decisions[i] != NULL; i++) {
		json_t *decision = check_json_new(decisions[i]);
		lastscan_decision(summary, decision);
		json_decref(decision);
	}
}

/* Return every finding as a line, `F mlx5_0/1 text`, in order, and check `counts`. To free(). */
static char *
shown_new(const struct summary *summary)
{
	size_t length = 0, counts[FINDING_LEVEL_N] = {0};
	char *text = NULL;
	FILE *out = open_memstream(&text, &length);
	for (size_t i = 0; i < summary->count; i++) {
		const struct finding *finding = &summary->findings[i];
		counts[finding->level]++;
		fprintf(out, "%c %s/%" PRId64 " %s\n", "FDUN"[finding->level],
			nics_or(finding->device, "-"), finding -> port,
			json_string_value(finding->text));
	}
	fclose(out);
	for (int level = 0; level < FINDING_LEVEL_N; level++)
		CHECK_U64(summary->counts[level], counts[level]);
	CHECK(!summary->failed);
	return text;
}

static void
check_shown(const struct summary *summary, const char *expected)
{
	char *shown = shown_new(summary);
	CHECK_STR(shown, expected);
	free(shown);
}

/* --- events --- */

struct event_row {
	const char *name;
	const char *events[4];
	const char *shown;
};

static void
check_event_rows(const struct event_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct summary summary;
		check_row("%s", rows[i].name);
		summary_init(&summary, "n");
		take_events(&summary, rows[i].events, CHECK_COUNT(rows[i].events));
		check_shown(&summary, rows[i].shown);
		summary_fini(&summary);
	}
}

static void
events(void)
{
	static const struct event_row rows[] = {
		{"fatal", {FATAL(PORT("mlx5_0", "1"), "down")}, "F mlx5_0/1 down\n"},
		{"non-fatal", {DEGRADED(PORT("mlx5_0", "2"), "INIT")}, "D mlx5_0/2 INIT\n"},
		{"a device", {FATAL(NIC("mlx5_0"), "gone")}, "F mlx5_0/0 gone\n"},
		{"a card", {CARD("mlx5_0")}, "F 0000:0c:00/0 card\n"},
		{"a fatal counter",
			{COUNTER("IB", "true", PORT("mlx5_0", "1"), "'link_downed'", "c")},
			"F mlx5_0/1 c\n"},
		{"a counter", {COUNTER("IBD", "false", PORT("mlx5_0", "1"), "'symbol_error'", "c")},
			"D mlx5_0/1 c\n"},
		{"a counter at its maximum",
			{COUNTER("IBD", "false", PORT("mlx5_0", "1"), "'symbol_error','saturated'",
				"c")},
			"N mlx5_0/1 c\n"},
		{"a fatal one would be fatal at its maximum, too",
			{COUNTER("IBD", "true", PORT("mlx5_0", "1"), "'symbol_error','saturated'",
				"c")},
			"F mlx5_0/1 c\n"},
		{"healthy alone", {HEALTHY(PORT("mlx5_0", "1"))}, ""},
		{"a whole check is healthy", {HEALTHY("")}, ""},
		{"a device that cannot be read",
			{COUNTER("IB", "false", NIC("mlx5_0"), "'nic_unreadable'", "x")}, ""},
		{"in the order they came",
			{DEGRADED(PORT("mlx5_1", "1"), "a"), FATAL(PORT("mlx5_0", "1"), "b"),
				DEGRADED(PORT("mlx5_0", "2"), "c")},
			"D mlx5_1/1 a\nF mlx5_0/1 b\nD mlx5_0/2 c\n"},
		{"no entity", {FATAL("", "all")}, "F -/0 all\n"},
		{"invalid entities", {FATAL("3,{},{'entityType':7},{'entityType':'NIC'}", "odd")},
			"F -/0 odd\n"},
		{"an event with nothing", {"{'kind':'event'}"}, "D -/0 \n"},
		{"wrong types",
			{"{'kind':'event','isFatal':'yes','isHealthy':1,'message':7,'errorCode':'x'"
			 ",'entitiesImpacted':{},'metadata':[]}"},
			"D -/0 \n"},
	};
	check_event_rows(rows, CHECK_COUNT(rows));
}

#define DOWN FATAL(PORT("mlx5_0", "1"), "down")

static void
taken_back(void)
{
	static const struct event_row rows[] = {
		{"the same port", {DOWN, HEALTHY(PORT("mlx5_0", "1"))}, ""},
		{"and down again", {DOWN, HEALTHY(PORT("mlx5_0", "1")), DOWN}, "F mlx5_0/1 down\n"},
		{"another port", {DOWN, HEALTHY(PORT("mlx5_0", "2"))}, "F mlx5_0/1 down\n"},
		{"another device", {DOWN, HEALTHY(PORT("mlx5_00", "1"))}, "F mlx5_0/1 down\n"},
		{"the device, not the port", {DOWN, HEALTHY(NIC("mlx5_0"))}, "F mlx5_0/1 down\n"},
		{"another check",
			{DOWN, EVENT("ETH", "false", "true", PORT("mlx5_0", "1"), "", "", "well")},
			"F mlx5_0/1 down\n"},
		{"a counter of the port",
			{DOWN, COUNTER_HEALTHY("IB", PORT("mlx5_0", "1"), "'link_downed'")},
			"F mlx5_0/1 down\n"},
		{"one counter of two",
			{COUNTER("IB", "true", PORT("mlx5_0", "1"), "'a'", "A"),
				COUNTER("IB", "true", PORT("mlx5_0", "1"), "'b'", "B"),
				COUNTER_HEALTHY("IB", PORT("mlx5_0", "1"), "'a'")},
			"F mlx5_0/1 B\n"},
		{"growth, not the maximum",
			{COUNTER("IB", "false", PORT("mlx5_0", "1"), "'a'", "grew"),
				COUNTER("IB", "false", PORT("mlx5_0", "1"), "'a','saturated'",
					"stands"),
				COUNTER_HEALTHY("IB", PORT("mlx5_0", "1"), "'a'")},
			"N mlx5_0/1 stands\n"},
		{"a card, whose list of devices may change",
			{CARD("mlx5_0,mlx5_1"), HEALTHY(NIC("0000:0c:00"))}, ""},
		{"the first of three",
			{DOWN, FATAL(PORT("mlx5_1", "1"), "b"), DEGRADED(PORT("mlx5_2", "1"), "c"),
				HEALTHY(PORT("mlx5_0", "1"))},
			"F mlx5_1/1 b\nD mlx5_2/1 c\n"},
		{"earlier reports of a device that is unreadable now",
			{COUNTER("IB", "false", NIC("mlx5_0"), "'nic_unreadable'", "x"),
				COUNTER_HEALTHY("IB", NIC("mlx5_0"), "'nic_unreadable'")},
			""},
	};
	check_event_rows(rows, CHECK_COUNT(rows));
}

static void
replaced(void)
{
	static const struct event_row rows[] = {
		{"worse", {DEGRADED(PORT("mlx5_0", "1"), "INIT"), DOWN}, "F mlx5_0/1 down\n"},
		{"better", {DOWN, DEGRADED(PORT("mlx5_0", "1"), "INIT")}, "D mlx5_0/1 INIT\n"},
		{"repeated", {DOWN, DOWN, DOWN}, "F mlx5_0/1 down\n"},
		{"behind events of the meantime", {DOWN, FATAL(NIC("mlx5_1"), "gone"), DOWN},
			"F mlx5_1/0 gone\nF mlx5_0/1 down\n"},
	};
	check_event_rows(rows, CHECK_COUNT(rows));
}

static void
many_events(void)
{
	struct summary summary;
	char text[400];

	summary_init(&summary, "n");
	for (int healthy = 0; healthy <= 1; healthy++) {
		for (int i = 0; i < 500; i++) {
			snprintf(text, sizeof text,
				"{'kind':'event','checkName':'C','isFatal':%s,'isHealthy':%s,"
				"'message':'m','errorCode':[],'entitiesImpacted':["
				"{'entityType':'NIC','entityValue':'mlx5_%d'}]}",
				i % 2 == 0 ? "true" : "false", healthy ? "true" : "false", i);
			const char *events[] = {text};
			take_events(&summary, events, 1);
		}
		CHECK_U64(summary.count, healthy ? 0 : 500);
		CHECK_U64(summary.counts[FINDING_FATAL], healthy ? 0 : 250);
	}
	summary_fini(&summary);
}

/* --- ports --- */

struct row {
	const char *name;
	struct nic nics[4];
	const char *events[3];
	const char *decisions[3];
	const char *shown;
};

static void
check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &rows[i];
		struct summary summary;
		struct scan scan = {0};
		size_t nics = 0;

		check_row("%s", row->name);
		while (nics < CHECK_COUNT(row->nics) && row->nics[nics].device != NULL)
			nics++;
		nics_scan(&scan, row->nics, nics);
		summary_init(&summary, "n");
		take_events(&summary, row->events, CHECK_COUNT(row->events));
		take_decisions(&summary, row->decisions, CHECK_COUNT(row->decisions));
		lastscan_eval(&summary, &scan);
		scan_fini(&scan);
		/* The summary must not refer to the scan any longer. */
		check_shown(&summary, row->shown);
		summary_fini(&summary);
	}
}

#define NO_PEERS "it has no peers, so whether it should be up is unknown\n"
#define SO_ARE_PEERS "the same ports of its peers are not up either\n"
#define NO_EVENT "more ports of its peers are up, though there is no event about it\n"

static void
up(void)
{
	static const struct row rows[] = {
		{"up", {{.device = "mlx5_0"}}, {NULL}, {NULL}, ""},
		{"of each role", {{"mlx5_0", .role = "compute"}, {"mlx5_1", .role = "storage"}},
			{NULL}, {NULL}, ""},
		{"RoCE", {{"mlx5_0", .link_layer = "Ethernet"}}, {NULL}, {NULL}, ""},
		{"ACTIVE is not all", {{"mlx5_0", .phys_state = "Polling"}}, {NULL}, {NULL},
			"U mlx5_0/1 Port mlx5_0 port 1: state ACTIVE, phys_state "
			"Polling: " NO_PEERS},
		{"LinkUp is not all", {{"mlx5_0", .state = "INIT"}}, {NULL}, {NULL},
			"U mlx5_0/1 Port mlx5_0 port 1: state INIT, phys_state LinkUp: " NO_PEERS},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

#define IB_DOWN .state = "DOWN", .phys_state = "Disabled"
#define ETH_DOWN .link_layer = "Ethernet", IB_DOWN
#define DOWN_TEXT "state DOWN, phys_state Disabled: "

static void
unexplained(void)
{
	static const struct row rows[] = {
		{"no role", {{"mlx5_0", IB_DOWN}}, {NULL}, {NULL},
			"U mlx5_0/1 Port mlx5_0 port 1: " DOWN_TEXT NO_PEERS},
		{"compute", {{"mlx5_0", .role = "compute", IB_DOWN}}, {NULL}, {NULL},
			"U mlx5_0/1 Port mlx5_0 port 1 (compute): " DOWN_TEXT NO_PEERS},
		{"storage", {{"mlx5_0", .role = "storage", IB_DOWN}}, {NULL}, {NULL},
			"N mlx5_0/1 Port mlx5_0 port 1 (storage): " DOWN_TEXT NO_PEERS},
		{"RoCE", {{"mlx5_0", .role = "compute", ETH_DOWN}}, {NULL}, {NULL},
			"U mlx5_0/1 RoCE port mlx5_0 port 1 (compute): " DOWN_TEXT NO_PEERS},
		{"no state, for storage either",
			{{"mlx5_0", .role = "storage", .more_port = ",'state':null"}}, {NULL},
			{NULL},
			"U mlx5_0/1 Port mlx5_0 port 1 (storage): state not known, phys_state "
			"LinkUp: whether it is up is unknown\n"},
		{"no phys_state", {{"mlx5_0", .more_port = ",'phys_state':null"}}, {NULL}, {NULL},
			"U mlx5_0/1 Port mlx5_0 port 1: state ACTIVE, phys_state not known: "
			"whether it is up is unknown\n"},
		{"no link layer", {{"mlx5_0", IB_DOWN, .more_port = ",'link_layer':null"}}, {NULL},
			{NULL}, "U mlx5_0/1 Port mlx5_0 port 1: " DOWN_TEXT NO_PEERS},
		{"another role", {{"mlx5_0", .role = "storageX", IB_DOWN}}, {NULL}, {NULL},
			"U mlx5_0/1 Port mlx5_0 port 1 (storageX): " DOWN_TEXT NO_PEERS},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

#define ALIKE "of other cards like it"
#define CARD_OF(n) .pci = "0000:0" n ":00.0"

static void
roleless(void)
{
	static const struct row rows[] = {
		{"most are up",
			{{"a", CARD_OF("1")}, {"b", CARD_OF("2"), IB_DOWN}, {"c", CARD_OF("3")}},
			{NULL}, {NULL},
			"F b/1 Port b port 1: " DOWN_TEXT "the same ports " ALIKE " are up\n"},
		{"most are up, Ethernet",
			{{"a", CARD_OF("1"), .link_layer = "Ethernet"},
				{"b", CARD_OF("2"), ETH_DOWN},
				{"c", CARD_OF("3"), .link_layer = "Ethernet"}},
			{NULL}, {NULL},
			"F b/1 RoCE port b port 1: " DOWN_TEXT "the same ports " ALIKE " are up\n"},
		{"most are up, but of another link layer",
			{{"a", CARD_OF("1")}, {"b", CARD_OF("2"), ETH_DOWN}, {"c", CARD_OF("3")}},
			{NULL}, {NULL}, "N b/1 RoCE port b port 1: " DOWN_TEXT NO_PEERS},
		{"most are up, but of another model",
			{{"a", CARD_OF("1")}, {"b", CARD_OF("2"), IB_DOWN, .model = "MT4125"},
				{"c", CARD_OF("3")}},
			{NULL}, {NULL}, "U b/1 Port b port 1: " DOWN_TEXT NO_PEERS},
		{"half are up", {{"a", CARD_OF("1")}, {"b", CARD_OF("2"), IB_DOWN}}, {NULL}, {NULL},
			"U b/1 Port b port 1: " DOWN_TEXT "the same ports of some other cards "
			"like it are up\n"},
		{"one of two on each card",
			{{"a", .pci = "0000:01:00.0"}, {"b", .pci = "0000:01:00.1", ETH_DOWN},
				{"c", .pci = "0000:02:00.0", .link_layer = "Ethernet"},
				{"d", .pci = "0000:01:00.2", .link_layer = "Ethernet"}},
			{NULL}, {NULL},
			"N b/1 RoCE port b port 1: " DOWN_TEXT "the same ports " ALIKE
			" are not up either\n"},
		{"an event has reported it",
			{{"a", CARD_OF("1")}, {"b", CARD_OF("2"), IB_DOWN}, {"c", CARD_OF("3")}},
			{FATAL(PORT("b", "1"), "x")}, {NULL}, "F b/1 x\n"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

#define COMPUTE .role = "compute"
#define STORAGE .role = "storage"

static void
peers(void)
{
	static const struct row rows[] = {
		{"most are up, and no event",
			{{"a", CARD_OF("1"), COMPUTE}, {"b", CARD_OF("2"), COMPUTE, IB_DOWN},
				{"c", CARD_OF("3"), COMPUTE}},
			{NULL}, {NULL}, "U b/1 Port b port 1 (compute): " DOWN_TEXT NO_EVENT},
		{"most are up, for storage",
			{{"a", CARD_OF("1"), STORAGE, .link_layer = "Ethernet"},
				{"b", CARD_OF("2"), STORAGE, ETH_DOWN},
				{"c", CARD_OF("3"), STORAGE, .link_layer = "Ethernet"}},
			{NULL}, {NULL}, "U b/1 RoCE port b port 1 (storage): " DOWN_TEXT NO_EVENT},
		{"most are up, but of another role",
			{{"a", CARD_OF("1"), STORAGE}, {"b", CARD_OF("2"), COMPUTE, IB_DOWN},
				{"c", CARD_OF("3"), STORAGE}},
			{NULL}, {NULL}, "U b/1 Port b port 1 (compute): " DOWN_TEXT NO_PEERS},
		{"most are up, but of another link layer",
			{{"a", CARD_OF("1"), COMPUTE}, {"b", CARD_OF("2"), COMPUTE, ETH_DOWN},
				{"c", CARD_OF("3"), COMPUTE}},
			{NULL}, {NULL}, "U b/1 RoCE port b port 1 (compute): " DOWN_TEXT NO_PEERS},
		{"one of two on each card",
			{{"a", .pci = "0000:01:00.0", COMPUTE},
				{"b", .pci = "0000:01:00.1", COMPUTE, IB_DOWN},
				{"c", .pci = "0000:02:00.0", COMPUTE}},
			{NULL}, {NULL}, "N b/1 Port b port 1 (compute): " DOWN_TEXT SO_ARE_PEERS},
		{"half are up",
			{{"a", CARD_OF("1"), STORAGE}, {"b", CARD_OF("2"), STORAGE, IB_DOWN}},
			{NULL}, {NULL},
			"U b/1 Port b port 1 (storage): " DOWN_TEXT
			"the same ports of some of its peers are up\n"},
		{"all are down",
			{{"a", CARD_OF("1"), COMPUTE, IB_DOWN},
				{"b", CARD_OF("2"), COMPUTE, IB_DOWN}},
			{NULL}, {NULL},
			"U a/1 Port a port 1 (compute): " DOWN_TEXT NO_PEERS
			"U b/1 Port b port 1 (compute): " DOWN_TEXT NO_PEERS},
		{"all of storage are down",
			{{"a", CARD_OF("1"), STORAGE, IB_DOWN},
				{"b", CARD_OF("2"), STORAGE, IB_DOWN}},
			{NULL}, {NULL},
			"N a/1 Port a port 1 (storage): " DOWN_TEXT NO_PEERS
			"N b/1 Port b port 1 (storage): " DOWN_TEXT NO_PEERS},
		{"whatever ctreval's decision counts as up",
			{{"a", CARD_OF("1"), COMPUTE}, {"b", CARD_OF("2"), COMPUTE, IB_DOWN},
				{"c", CARD_OF("3"), COMPUTE}},
			{NULL},
			{"{'kind':'decision','about':'card','device':'b','link_layer':"
			 "'InfiniBand','active':1,'mode':1}"},
			"U b/1 Port b port 1 (compute): " DOWN_TEXT NO_EVENT},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

#define UNKNOWN_1 "U mlx5_1/1 Port mlx5_1 port 1: " DOWN_TEXT NO_PEERS

static void
explained(void)
{
	static const struct row rows[] = {
		{"its own event", {{"mlx5_1", IB_DOWN}}, {FATAL(PORT("mlx5_1", "1"), "x")}, {NULL},
			"F mlx5_1/1 x\n"},
		{"a non-fatal event", {{"mlx5_1", IB_DOWN}}, {DEGRADED(PORT("mlx5_1", "1"), "x")},
			{NULL}, "D mlx5_1/1 x\n"},
		{"not by another port's", {{"mlx5_1", IB_DOWN}}, {FATAL(PORT("mlx5_1", "2"), "x")},
			{NULL}, "F mlx5_1/2 x\n" UNKNOWN_1},
		{"not by another device's", {{"mlx5_1", IB_DOWN}},
			{FATAL(PORT("mlx5_12", "1"), "x"), FATAL(PORT("mlx5_", "1"), "y")}, {NULL},
			"F mlx5_12/1 x\nF mlx5_/1 y\n" UNKNOWN_1},
		{"its device's event", {{"mlx5_1", IB_DOWN}}, {FATAL(NIC("mlx5_1"), "x")}, {NULL},
			"F mlx5_1/0 x\n"},
		{"not an event that was taken back", {{"mlx5_1", IB_DOWN}},
			{FATAL(PORT("mlx5_1", "1"), "x"), HEALTHY(PORT("mlx5_1", "1"))}, {NULL},
			UNKNOWN_1},
		{"its card's event", {{"mlx5_1", IB_DOWN}}, {CARD("mlx5_1")}, {NULL},
			"F 0000:0c:00/0 card\n"},
		{"the first of its card", {{"mlx5_1", IB_DOWN}}, {CARD("mlx5_1,mlx5_12")}, {NULL},
			"F 0000:0c:00/0 card\n"},
		{"the last of its card", {{"mlx5_1", IB_DOWN}}, {CARD("mlx5_12,mlx5_1")}, {NULL},
			"F 0000:0c:00/0 card\n"},
		{"in the middle", {{"mlx5_1", IB_DOWN}}, {CARD("mlx5_11,mlx5_1,mlx5_12")}, {NULL},
			"F 0000:0c:00/0 card\n"},
		{"a longer name is another", {{"mlx5_1", IB_DOWN}}, {CARD("mlx5_12,xmlx5_1")},
			{NULL}, "F 0000:0c:00/0 card\n" UNKNOWN_1},
		{"a shorter name, too", {{"mlx5_12", IB_DOWN}}, {CARD("mlx5_1")}, {NULL},
			"F 0000:0c:00/0 card\nU mlx5_12/1 Port mlx5_12 port 1: " DOWN_TEXT
				NO_PEERS},
		{"an empty list", {{"mlx5_1", IB_DOWN}}, {CARD("")}, {NULL},
			"F 0000:0c:00/0 card\n" UNKNOWN_1},
		{"a counter gives no reason", {{"mlx5_1", IB_DOWN}},
			{COUNTER("IB", "true", PORT("mlx5_1", "1"), "'link_downed'", "c")}, {NULL},
			"F mlx5_1/1 c\n" UNKNOWN_1},
		{"nor does a saturated one", {{"mlx5_1", .role = "compute", IB_DOWN}},
			{COUNTER("IB", "false", PORT("mlx5_1", "1"), "'a','saturated'", "c")},
			{NULL},
			"N mlx5_1/1 c\n"
			"U mlx5_1/1 Port mlx5_1 port 1 (compute): " DOWN_TEXT NO_PEERS},
		{"each port by itself", {{"mlx5_0", IB_DOWN}, {"mlx5_1", IB_DOWN}},
			{FATAL(PORT("mlx5_0", "1"), "x")}, {NULL}, "F mlx5_0/1 x\n" UNKNOWN_1},
		{"a port without state: by its unreadable device",
			{{"mlx5_1", .more_device = ",'error':'EIO'", .more_port = ",'state':null"}},
			{NULL}, {NULL}, "U mlx5_1/0 NIC mlx5_1 cannot be read (EIO)\n"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
not_watched(void)
{
	static const struct row rows[] = {
		{"management", {{.device = "mlx5_0"}, {"mlx5_1", .role = "management", IB_DOWN}},
			{NULL}, {NULL}, ""},
		{"excluded", {{.device = "mlx5_0"}, {"mlx5_1", .role = "none", IB_DOWN}}, {NULL},
			{NULL}, ""},
		{"a virtual function",
			{{.device = "mlx5_0"}, {"mlx5_1", IB_DOWN, .more_device = ",'vf':true"}},
			{NULL}, {NULL}, ""},
		{"an unreadable one",
			{{.device = "mlx5_0"}, {"mlx5_1", .more_device = ",'vf':true,'error':'EIO'",
						       .lost_port = true}},
			{NULL}, {NULL}, ""},
		{"an unreadable management port",
			{{.device = "mlx5_0"},
				{"mlx5_1", .role = "management",
					.more_device = ",'error':'EIO','driver':'mlx5_core'"}},
			{NULL}, {NULL}, ""},
		{"management without ports",
			{{.device = "mlx5_0"},
				{"mlx5_1", .role = "management", .more_device = ",'ports':0"}},
			{NULL}, {NULL}, ""},
		{"a port whose device record was lost",
			{{.device = "mlx5_0"}, {"mlx5_1", IB_DOWN, .lost_device = true}}, {NULL},
			{NULL}, ""},
		{"a plane, with an event about it",
			{{.device = "mlx5_0"},
				{"smi0", IB_DOWN, .more_device = ",'parent':'mlx5_0'"}},
			{NULL}, {NULL}, ""},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

#define ROCE .link_layer = "Ethernet"
#define GIDS(total, mapped) .more_port = ",'gids':{'total':" total ",'ipv4_mapped':" mapped "}"

static void
gids(void)
{
	static const struct row rows[] = {
		{"fine", {{"mlx5_0", ROCE, GIDS("4", "2")}}, {NULL}, {NULL}, ""},
		{"no IPv4 address", {{"mlx5_0", ROCE, GIDS("4", "0")}}, {NULL}, {NULL},
			"N mlx5_0/1 RoCE port mlx5_0 port 1: no IPv4 GID\n"},
		{"none at all", {{"mlx5_0", ROCE, GIDS("0", "0")}}, {NULL}, {NULL},
			"N mlx5_0/1 RoCE port mlx5_0 port 1: no valid GID\n"},
		{"not read", {{"mlx5_0", ROCE, .more_port = ",'gids':null"}}, {NULL}, {NULL}, ""},
		{"InfiniBand", {{"mlx5_0", GIDS("1", "0")}}, {NULL}, {NULL}, ""},
		{"of a port that is down", {{"mlx5_0", ETH_DOWN, GIDS("0", "0")}},
			{FATAL(PORT("mlx5_0", "1"), "x")}, {NULL}, "F mlx5_0/1 x\n"},
		{"not watched",
			{{.device = "mlx5_1"},
				{"mlx5_0", ROCE, .role = "management", GIDS("0", "0")}},
			{NULL}, {NULL}, ""},
		{"even with an event about it", {{"mlx5_0", ROCE, GIDS("4", "0")}},
			{COUNTER("C", "false", PORT("mlx5_0", "1"), "'a'", "c")}, {NULL},
			"D mlx5_0/1 c\nN mlx5_0/1 RoCE port mlx5_0 port 1: no IPv4 GID\n"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

/* --- devices --- */

static void
devices(void)
{
	static const struct row rows[] = {
		{"cannot be read",
			{{.device = "mlx5_0"},
				{"mlx5_1", .more_device = ",'error':'timeout'", .lost_port = true}},
			{NULL}, {NULL}, "U mlx5_1/0 NIC mlx5_1 cannot be read (timeout)\n"},
		{"reported once, whatever ctreval reports",
			{{.device = "mlx5_0"},
				{"mlx5_1", .more_device = ",'error':'EIO'", .lost_port = true}},
			{COUNTER("IB", "false", NIC("mlx5_1"), "'nic_unreadable'", "x")}, {NULL},
			"U mlx5_1/0 NIC mlx5_1 cannot be read (EIO)\n"},
		{"of any role",
			{{.device = "mlx5_0"},
				{"mlx5_1", .role = "storage", .more_device = ",'error':'EIO'",
					.lost_port = true}},
			{NULL}, {NULL}, "U mlx5_1/0 NIC mlx5_1 cannot be read (EIO)\n"},
		{"the reading of the last scan counts", {{.device = "mlx5_0"}},
			{COUNTER("IB", "false", NIC("mlx5_0"), "'nic_unreadable'", "x")}, {NULL},
			""},
		{"a part of a NIC cannot be read",
			{{.device = "mlx5_0"},
				{"smi0", .more_device = ",'error':'EIO','parent':'mlx5_0'",
					.lost_port = true}},
			{NULL}, {NULL}, "N smi0/0 NIC smi0 cannot be read (EIO)\n"},
		{"no ports",
			{{.device = "mlx5_0"},
				{"mlx5_1", .more_device = ",'ports':0", .lost_port = true}},
			{NULL}, {NULL}, "U mlx5_1/0 NIC mlx5_1 has no ports\n"},
		{"one with unknown vendor may be NVIDIA's",
			{{.device = "mlx5_0"}, {"rocep12s0", .lost_port = true,
						       .more_device = ",'error':'EIO','monitored':"
								      "false,'reason':'vendor'"}},
			{NULL}, {NULL}, "U rocep12s0/0 NIC rocep12s0 cannot be read (EIO)\n"},
		{"not one of another driver",
			{{.device = "mlx5_0"},
				{"bnxt_re0", .lost_port = true,
					.more_device = ",'error':'EIO','monitored':false,"
						       "'reason':'vendor','driver':'bnxt_en'"}},
			{NULL}, {NULL}, ""},
		{"nor one of another vendor",
			{{.device = "mlx5_0"},
				{"bnxt_re0", .lost_port = true,
					.more_device = ",'error':'EIO','monitored':false,"
						       "'reason':'vendor','vendor':'0x14e4'"}},
			{NULL}, {NULL}, ""},
		{"nor one that was excluded",
			{{.device = "mlx5_0"}, {"mlx5_1", .role = "none", .lost_port = true,
						       .more_device = ",'error':'EIO'"}},
			{NULL}, {NULL}, ""},
		{"another vendor's that can be read",
			{{.device = "mlx5_0"},
				{"hfi1_0", IB_DOWN,
					.more_device = ",'monitored':false,'reason':'vendor'",
					.more_port = ",'monitored':false"}},
			{NULL}, {NULL}, ""},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
long_texts(void)
{
	/* A cut text must still be valid in a record. */
	struct nic nics[] = {{.device = "mlx5_0"}, {"mlx5_1", .lost_port = true}};
	for (size_t shift = 0; shift < 4; shift++) {
		struct summary summary;
		struct scan scan = {0};
		char error[3500] = ",'error':'";
		size_t used = strlen(error);
		memset(error + used, 'x', shift);
		used += shift;
		while (used < 3400) {
			memcpy(error + used, "\xE2\x82\xAC", 3);
			used += 3;
		}
		snprintf(error + used, sizeof error - used, "'");
		nics[1].more_device = error;
		check_row("shifted by %zu", shift);
		nics_scan(&scan, nics, CHECK_COUNT(nics));
		summary_init(&summary, "n");
		lastscan_eval(&summary, &scan);
		scan_fini(&scan);
		CHECK(!summary.failed);
		if (CHECK_U64(summary.count, 1))
			CHECK_HAS(json_string_value(summary.findings[0].text),
				"NIC mlx5_1 cannot be read (");

		char *euros = check_repeat_new(' ', 3 * 2000 + shift);
		for (size_t i = 0; i < 2000; i++)
			memcpy(euros + shift + 3 * i, "\xE2\x82\xAC", 3);
		summary_add(&summary, FINDING_NOTE, NULL, 0, "%s", euros);
		free(euros);
		CHECK(!summary.failed);
		if (CHECK_U64(summary.count, 2)) {
			size_t length = json_string_length(summary.findings[1].text);
			CHECK(length > 4000 && length < 4096);
		}
		summary_fini(&summary);
	}
}

/* --- the scan as a whole --- */

#define BEGIN \
	"{'kind':'scan.begin','v':1,'scan':7,'node':'gpu-42','boot_id':'b-1'," \
	"'ts':'2026-01-02T03:04:05.678901Z','boottime_ns':1}"
#define BEGIN_KNOWN \
	"{'kind':'scan.begin','v':1,'scan':7,'node':'n','ts':'t','boottime_ns':1," \
	"'topology':{'nics':1}}"
#define DEVICE(name) "{'kind':'device','scan':7,'device':'" name "','ports':1}"
#define PORT_OF(name) \
	"{'kind':'port','scan':7,'ts':'t','boottime_ns':1,'device':'" name \
	"','port':1,'link_layer':'InfiniBand','state':'ACTIVE','phys_state':'LinkUp'}"
#define END(devices, ports, more) \
	"{'kind':'scan.end','scan':7,'devices':" devices ",'ports':" ports ",'complete':true" more \
	"}"

struct scan_row {
	const char *name;
	const char *records[5];
	const char *shown;
};

static void
take_records(struct scan *scan, const char *const *records, size_t count)
{
	for (size_t i = 0; i < count && records[i] != NULL; i++) {
		struct rec_error error;
		json_t *record = check_json_new(records[i]);
		scan_accept(scan, scanrec_kind(record), record, &error);
	}
}

static void
check_scan_rows(const struct scan_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct summary summary;
		struct scan scan = {0};
		check_row("%s", rows[i].name);
		take_records(&scan, rows[i].records, CHECK_COUNT(rows[i].records));
		summary_init(&summary, "n");
		lastscan_eval(&summary, &scan);
		scan_fini(&scan);
		check_shown(&summary, rows[i].shown);
		summary_fini(&summary);
	}
}

static void
whole_scans(void)
{
	static const struct scan_row rows[] = {
		{"nothing", {NULL}, "U -/0 there is no scan to check\n"},
		{"no end", {BEGIN, DEVICE("mlx5_0"), PORT_OF("mlx5_0")},
			"U -/0 there is no scan to check\n"},
		{"no beginning", {DEVICE("mlx5_0"), END("1", "0", "")},
			"U -/0 there is no scan to check\n"},
		{"a malformed end", {BEGIN, DEVICE("mlx5_0"), "{'kind':'scan.end','scan':7}"},
			"U -/0 there is no scan to check\n"},
		{"whole", {BEGIN, DEVICE("mlx5_0"), PORT_OF("mlx5_0"), END("1", "1", "")}, ""},
		{"a port was lost", {BEGIN, DEVICE("mlx5_0"), PORT_OF("mlx5_0"), END("1", "2", "")},
			"U -/0 records were lost\n"},
		{"a device was lost",
			{BEGIN, DEVICE("mlx5_0"), PORT_OF("mlx5_0"), END("2", "1", "")},
			"U -/0 records were lost\n"},
		{"no NICs", {BEGIN, END("0", "0", "")}, "U -/0 no port is watched (0 NICs)\n"},
		{"no class directory", {BEGIN, END("0", "0", ",'error':'ENOENT'")},
			"U -/0 no RDMA devices: class/infiniband: ENOENT\n"},
		{"one NIC, not watched",
			{BEGIN,
				"{'kind':'device','scan':7,'device':'a','ports':0,'monitored':"
				"false}",
				END("1", "0", "")},
			"U -/0 no port is watched (1 NIC)\n"},
		{"two NICs, not watched, and a virtual function",
			{BEGIN,
				"{'kind':'device','scan':7,'device':'a','ports':0,'monitored':"
				"false}",
				"{'kind':'device','scan':7,'device':'b','ports':0,'monitored':"
				"false}",
				"{'kind':'device','scan':7,'device':'c','ports':0,'vf':true}",
				END("3", "0", "")},
			"U -/0 no port is watched (2 NICs)\n"},
		{"the only NIC is unreadable, which is reported",
			{BEGIN, "{'kind':'device','scan':7,'device':'a','ports':0,'error':'EIO'}",
				END("1", "0", "")},
			"U a/0 NIC a cannot be read (EIO)\n"},
		{"without a driver",
			{BEGIN_KNOWN, DEVICE("mlx5_0"), PORT_OF("mlx5_0"),
				END("1", "1", ",'unbound':['0000:0c:00.0',7]")},
			"N -/0 NIC 0000:0c:00.0 has no driver\nN -/0 NIC ? has no driver\n"},
		{"all without a driver",
			{BEGIN_KNOWN,
				END("0", "0", ",'error':'ENOENT','unbound':['0000:0c:00.0']")},
			"N -/0 NIC 0000:0c:00.0 has no driver\n"
			"U -/0 no RDMA devices: class/infiniband: ENOENT\n"},
		{"the bus could not be listed",
			{BEGIN, DEVICE("mlx5_0"), PORT_OF("mlx5_0"),
				END("1", "1", ",'unbound':null")},
			""},
	};
	check_scan_rows(rows, CHECK_COUNT(rows));
}

#define ABSENT(list) \
	"{'kind':'scan.begin','v':1,'scan':7,'node':'n','ts':'t','boottime_ns':1," \
	"'topology':{'absent':" list "}}"

static void
absent(void)
{
	static const struct scan_row rows[] = {
		{"two",
			{ABSENT("['mlx5_3','mlx5_4']"), DEVICE("mlx5_0"), PORT_OF("mlx5_0"),
				END("1", "1", "")},
			"U mlx5_3/0 NIC mlx5_3 is in the GPU metadata, but not on this node\n"
			"U mlx5_4/0 NIC mlx5_4 is in the GPU metadata, but not on this node\n"},
		{"none", {ABSENT("[]"), DEVICE("mlx5_0"), PORT_OF("mlx5_0"), END("1", "1", "")},
			""},
		{"no list",
			{ABSENT("'mlx5_3'"), DEVICE("mlx5_0"), PORT_OF("mlx5_0"),
				END("1", "1", "")},
			""},
		{"no name", {ABSENT("[3]"), DEVICE("mlx5_0"), PORT_OF("mlx5_0"), END("1", "1", "")},
			"U -/0 NIC ? is in the GPU metadata, but not on this node\n"},
		{"where the devices could not be listed",
			{ABSENT("['mlx5_3']"), END("0", "0", ",'error':'EIO'")},
			"U -/0 no RDMA devices: class/infiniband: EIO\n"},
	};
	check_scan_rows(rows, CHECK_COUNT(rows));
}

static void
lost(void)
{
	static const struct {
		const char *name;
		const char *lists[4]; /* of each scan */
		const char *event;
		const char *shown;
	} rows[] = {
		{"in all three", {"['mlx5_3']", "['mlx5_3']", "['mlx5_3']"}, NULL,
			"F mlx5_3/0 NIC mlx5_3 is in the GPU metadata, but not on this node\n"},
		{"in two", {"[]", "['mlx5_3']", "['mlx5_3']"}, NULL,
			"U mlx5_3/0 NIC mlx5_3 is in the GPU metadata, but not on this node\n"},
		{"another", {"['mlx5_4']", "['mlx5_4']", "['mlx5_4']"}, NULL,
			"U mlx5_3/0 NIC mlx5_3 is in the GPU metadata, but not on this node\n"},
		{"no names", {"[3,null]", "{}", "'mlx5_3'"}, NULL,
			"U mlx5_3/0 NIC mlx5_3 is in the GPU metadata, but not on this node\n"},
		{"an event has reported it", {"['mlx5_3']", "['mlx5_3']", "['mlx5_3']"},
			FATAL(NIC("mlx5_3"), "gone"), "F mlx5_3/0 gone\n"},
		{"an event with a code has reported it", {"['mlx5_3']", "['mlx5_3']", "['mlx5_3']"},
			COUNTER("IB", "true", NIC("mlx5_3"), "'nic_gone'", "gone"),
			"F mlx5_3/0 gone\n"},
		{"an event about its port has not", {"['mlx5_3']", "['mlx5_3']", "['mlx5_3']"},
			COUNTER("IB", "true", PORT("mlx5_3", "1"), "'link_downed'", "c"),
			"F mlx5_3/1 c\n"
			"F mlx5_3/0 NIC mlx5_3 is in the GPU metadata, but not on this node\n"},
	};
	static const char *const records[] = {
		ABSENT("['mlx5_3']"), DEVICE("mlx5_0"), PORT_OF("mlx5_0"), END("1", "1", "")};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct summary summary;
		struct scan scan = {0};
		check_row("%s", rows[i].name);
		summary_init(&summary, "n");
		for (size_t n = 0; n < CHECK_COUNT(rows[i].lists) && rows[i].lists[n] != NULL;
			n++) {
			char text[200];
			snprintf(text, sizeof text, "{'topology':{'lost':%s}}", rows[i].lists[n]);
			json_t *begin = check_json_new(text);
			lastscan_begin(&summary, begin);
			json_decref(begin);
		}
		take_events(&summary, &rows[i].event, 1);
		take_records(&scan, records, CHECK_COUNT(records));
		lastscan_eval(&summary, &scan);
		scan_fini(&scan);
		check_shown(&summary, rows[i].shown);
		summary_fini(&summary);
	}
}

static void
driverless(void)
{
	static const struct scan_row rows[] = {
		{"without metadata",
			{BEGIN, DEVICE("mlx5_0"), PORT_OF("mlx5_0"),
				END("1", "1", ",'unbound':['0000:0c:00.0']")},
			"U -/0 NIC 0000:0c:00.0 has no driver, and whether it should have one is "
			"unknown\n"},
	};
	check_scan_rows(rows, CHECK_COUNT(rows));
}

static void
counts(void)
{
	static const struct nic nics[] = {
		{"mlx5_0", .role = "compute"},
		{"mlx5_1", .role = "compute", IB_DOWN},
		{"mlx5_2", .role = "management"},
		{"mlx5_3", .more_device = ",'vf':true"},
		{"mlx5_4", .role = "storage", .lost_port = true, .more_device = ",'error':'EIO'"},
		{"smi0", .role = "compute", .more_device = ",'parent':'mlx5_0'"},
	};
	struct summary summary;
	struct scan scan = {0};

	nics_scan(&scan, nics, CHECK_COUNT(nics));
	summary_init(&summary, "n");
	lastscan_eval(&summary, &scan);
	scan_fini(&scan);
	CHECK_U64(summary.devices, 5);
	CHECK_U64(summary.nics, 4);
	CHECK_U64(summary.watched_ports, 2);
	CHECK_U64(summary.up_ports, 1);
	CHECK(summary.roles);
	summary_fini(&summary);
}

static void
roles(void)
{
	static const struct nic nics[] = {
		{"mlx5_0", .more_device = ",'role':null,'reason':'no_metadata'"},
		{"mlx5_1", .role = "management"},
	};
	struct summary summary;
	struct scan scan = {0};

	nics_scan(&scan, nics, CHECK_COUNT(nics));
	summary_init(&summary, "n");
	CHECK(!summary.roles);
	lastscan_eval(&summary, &scan);
	scan_fini(&scan);
	CHECK(!summary.roles);
	summary_fini(&summary);
}

static void
identity(void)
{
	static const char *const named[] = {BEGIN, END("0", "0", "")};
	static const char *const nameless[] = {
		"{'kind':'scan.begin','v':1,'scan':7,'node':null,'ts':'t','boottime_ns':1}",
		END("0", "0", "")};
	struct summary summary;
	struct scan scan = {0};

	summary_init(&summary, "n");
	CHECK_STR(json_string_value(summary.node), "n");
	CHECK(json_is_null(summary.boot_id));
	CHECK(json_is_null(summary.ts));
	take_records(&scan, nameless, CHECK_COUNT(nameless));
	lastscan_eval(&summary, &scan);
	CHECK_STR(json_string_value(summary.node), "n");
	CHECK(json_is_null(summary.boot_id));
	CHECK_STR(json_string_value(summary.ts), "t");
	take_records(&scan, named, CHECK_COUNT(named));
	lastscan_eval(&summary, &scan);
	scan_fini(&scan);
	CHECK_STR(json_string_value(summary.node), "gpu-42");
	CHECK_STR(json_string_value(summary.boot_id), "b-1");
	CHECK_STR(json_string_value(summary.ts), "2026-01-02T03:04:05.678901Z");
	summary_fini(&summary);
}

static void
odd_name(void)
{
	struct summary summary;
	summary_init(&summary, "a\xFF"
			       "b");
	CHECK(!summary.failed);
	CHECK_STR(json_string_value(summary.node), "a\xEF\xBF\xBD"
						   "b");
	summary_add(&summary, FINDING_NOTE, NULL, 0, "%s", "x\xC3");
	CHECK(!summary.failed);
	check_shown(&summary, "N -/0 x\xEF\xBF\xBD\n");
	summary_fini(&summary);
}

/* --- order and verdict --- */

static void
order(void)
{
	static const char *const events[] = {
		DEGRADED(NIC("mlx5_9"), "d-nic"),
		FATAL(NIC("0000:0c:00"), "f-card"),
		FATAL(PORT("mlx5_2", "1"), "f-port-2"),
		DEGRADED(PORT("mlx5_1", "1"), "d-port"),
		FATAL(PORT("mlx5_1", "1"), "f-port-1"),
		COUNTER("C", "true", PORT("mlx5_0", "2"), "'a'", "f-counter"),
	};
	struct summary summary;

	summary_init(&summary, "n");
	summary_add(&summary, FINDING_NOTE, NULL, 0, "n-1");
	summary_add(&summary, FINDING_UNKNOWN, NULL, 0, "u-1");
	take_events(&summary, events, CHECK_COUNT(events));
	summary_add(&summary, FINDING_UNKNOWN, NULL, 0, "u-%d", 2);
	summary_add(&summary, FINDING_NOTE, NULL, 0, "n-2");
	summary_sort(&summary);
	check_shown(&summary, "F mlx5_2/1 f-port-2\nF mlx5_1/1 f-port-1\nF mlx5_0/2 f-counter\n"
			      "F 0000:0c:00/0 f-card\n"
			      "D mlx5_9/0 d-nic\n"
			      "U -/0 u-1\nU -/0 u-2\n"
			      "N -/0 n-1\nN -/0 n-2\n");
	summary_sort(&summary);
	CHECK_STR(json_string_value(summary.findings[0].text), "f-port-2");
	summary_fini(&summary);
}

static void
verdicts(void)
{
	static const int codes[] = {[FINDING_FATAL] = 1,
		[FINDING_DEGRADED] = 2,
		[FINDING_UNKNOWN] = 3,
		[FINDING_NOTE] = 0};
	/* Every combination of levels, in both orders of arrival. */
	for (unsigned set = 0; set < 1u << FINDING_LEVEL_N; set++) {
		for (int backwards = 0; backwards <= 1; backwards++) {
			struct summary summary;
			int worst = FINDING_NOTE;
			check_row("levels %x%s", set, backwards ? ", the worst last" : "");
			summary_init(&summary, "n");
			for (int i = 0; i < FINDING_LEVEL_N; i++) {
				int level = backwards ? FINDING_LEVEL_N - 1 - i : i;
				if ((set & (1u << level)) == 0)
					continue;
				summary_add(&summary, (enum finding_level)level, NULL, 0, "x");
				summary_add(&summary, (enum finding_level)level, NULL, 0, "y");
				worst = level < worst ? level : worst;
			}
			CHECK_INT(summary_verdict(&summary), worst);
			CHECK_INT(summary_exit_code(&summary), codes[worst]);
			summary_sort(&summary);
			CHECK_INT(summary_exit_code(&summary), codes[worst]);
			if (set != 0)
				CHECK_INT(summary.findings[0].level, __builtin_ctz(set));
			summary_fini(&summary);
		}
	}
}

static void
verdict_after_recovery(void)
{
	static const char *const events[] = {DOWN, DEGRADED(PORT("mlx5_1", "1"), "x"),
		HEALTHY(PORT("mlx5_0", "1")), HEALTHY(PORT("mlx5_1", "1"))};
	static const int codes[] = {1, 1, 2, 0};
	struct summary summary;

	summary_init(&summary, "n");
	CHECK_INT(summary_exit_code(&summary), 0);
	for (size_t i = 0; i < CHECK_COUNT(events); i++) {
		check_row("after event %zu", i + 1);
		take_events(&summary, events + i, 1);
		CHECK_INT(summary_exit_code(&summary), codes[i]);
	}
	summary_fini(&summary);
}

/* A decision about a character device. */
#define NODE_DECISION(more) \
	"{'kind':'decision','about':'character_device','device':'mlx5_0','node':'umad','port':" \
	"1," more "}"

static void
character_devices(void)
{
	static const struct {
		const char *decision, *shown;
	} rows[] = {
		{NODE_DECISION("'present':true,'missing_scans':0,'event':null"), ""},
		{NODE_DECISION("'present':null,'missing_scans':1,'event':null"), ""},
		{NODE_DECISION("'present':false,'missing_scans':0,'event':null"), ""},
		{NODE_DECISION("'present':false,'missing_scans':3,'event':'a-1'"), ""},
		{NODE_DECISION("'present':false,'missing_scans':2,'event':null"),
			"U mlx5_0/1 character device umad of NIC mlx5_0 is missing, though not in "
			"every scan\n"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct summary summary;
		check_row("%s", rows[i].decision);
		summary_init(&summary, "n");
		take_decisions(&summary, &rows[i].decision, 1);
		check_shown(&summary, rows[i].shown);
		summary_fini(&summary);
	}
}

static const struct check_test tests[] = {
	{"a character device that is missing only in some scans is unknown", character_devices},
	{"a standing event is a finding of its level", events},
	{"a healthy event takes back only the fault of its check, entities and codes", taken_back},
	{"an event replaces the one before about the same subject", replaced},
	{"hundreds of faults come and go", many_events},
	{"a port that is not ACTIVE and LinkUp is a finding", up},
	{"a port that is down without an event is unknown, or a note where that is normal",
		unexplained},
	{"without roles cards of the same model and link layer are peers, and decide", roleless},
	{"with roles cards of the same role and link layer in the scan are peers", peers},
	{"an event about the port, its device or its card replaces the port's own finding",
		explained},
	{"a port that is not watched is no finding", not_watched},
	{"a RoCE port without addresses is a note", gids},
	{"a NIC that cannot be read or has no ports is unknown", devices},
	{"a cut text stays valid", long_texts},
	{"a missing, incomplete or empty scan is never healthy", whole_scans},
	{"a NIC that only the metadata knows is unknown", absent},
	{"a watched NIC that is missing in three scans is fatal", lost},
	{"a NIC without a driver is unknown if no metadata lists the expected NICs", driverless},
	{"devices, NICs, watched ports and ports that are up are counted", counts},
	{"without GPU metadata there are no roles", roles},
	{"node, boot and time are the scan's if it has them", identity},
	{"invalid UTF-8 is replaced", odd_name},
	{"findings are sorted by level, ports first, otherwise by arrival", order},
	{"the exit code follows the worst level", verdicts},
	{"the verdict improves when a fault is taken back", verdict_after_recovery},
};
CHECK_MAIN(tests)
