/* Unit tests of ctreval's eval: evaluating a scan against the state into events and the new
 * state. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/eval.h"

#include "../../tools/ctreval/state/forget.h"
#include "../../tools/ctreval/state/statefile.h"
#include "check.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S NUM_NS_PER_S

/* Parts of messages. */
#define CLEARED \
	"Baseline reset (host reboot or discovery-scope change): clearing all conditions " \
	"previously reported by this check"
#define LEFT \
	"is no longer monitored (counter disabled or device out of monitoring scope); clearing " \
	"stale breach"

/* --- a node, scan by scan --- */

/* A NIC in a scan. Each port is a letter: A active, D down and disabled, P down and polling, I
 * initialising, ? without a state, and . for a missing port number. */
struct nic {
	const char *name, *pci, *role, *ports;
	const char *counters; /* of each port, with ' for "; NULL: none */
	const char *reason, *error;
	int rate_gbps; /* 0: none in the record */
	bool ethernet, vf, unmonitored;
	const char
		*efa; /* the interface and its operational state, as in a record; NULL: not EFA */
};

struct world {
	struct counter_list counters;
	struct eval_setting setting;
	struct state state;
	struct event_stream stream;
	struct scan scan;
	const char *boot_id;
	bool torn, unlisted;   /* of the next scan */
	bool extra;            /* of the next scan: it is an extra scan */
	const char *functions; /* of each scan.end, with ' for "; NULL: not listed */
	int number;            /* of the last scan */
	char text[20000];      /* of its events */
	char clears[2000];     /* the clearing events about a whole NIC or card: check and entity */
	char first_id[60];     /* of its first event */
	char cause[60];        /* of its last event that has one */
	char notes[4000];
	char reason[200]; /* of the last decision about a card, with setting.explain */
};

static void
world_init(struct world *world)
{
	*world = (struct world){.boot_id = "b1"};
	CHECK_INT(counter_list_init(&world->counters), 0);
	world->setting = (struct eval_setting){
		.counters = &world->counters,
		.counter_detection = true,
		.enabled = {[CHECK_IB_STATE] = true,
			[CHECK_IB_DEGRADATION] = true,
			[CHECK_ETH_STATE] = true,
			[CHECK_ETH_DEGRADATION] = true},
		.settle_ns = 30 * S,
		.confirm_scans = 1,
		.clear_check = true,
	};
	state_init(&world->state, world->counters.count);
	event_stream_init(&world->stream, "ctreval", "n1", "b1", "T", "STORE_ONLY");
}

static void
world_fini(struct world *world)
{
	scan_fini(&world->scan);
	state_fini(&world->state);
	counter_list_fini(&world->counters);
}

static void
give(struct world *world, json_t *json)
{
	struct rec_error error = {.reason = ""};
	enum scan_status status = scan_accept(&world->scan, scanrec_kind(json), json, &error);
	CHECK_STR(error.reason, "");
	CHECK(status == SCAN_ACCEPTED || status == SCAN_FINISHED);
}

static void
give_port(struct world *world, const struct nic *nic, int number, uint64_t at_ns)
{
	static const struct {
		char letter;
		const char *state, *phys_state;
	} forms[] = {{'A', "ACTIVE", "LinkUp"}, {'D', "DOWN", "Disabled"}, {'P', "DOWN", "Polling"},
		{'I', "INIT", "LinkUp"}, {'?', NULL, NULL}};
	char ts[CLOCK_STAMP_SIZE];
	size_t form = 0;
	while (form + 1 < CHECK_COUNT(forms) && forms[form].letter != nic->ports[number - 1])
		form++;
	clock_format(1700000000 * S + at_ns, ts);
	json_t *counters = check_json_new(nic->counters != NULL ? nic->counters : "{}");
	json_t *record = json_pack(
		"{s:s, s:i, s:s, s:I, s:s, s:i, s:s, s:s?, s:s?, s:o, s:O, s:s?, s:b}", "kind",
		"port", "scan", world->number, "ts", ts, "boottime_ns", (json_int_t)at_ns, "device",
		nic->name, "port", number, "link_layer",
		nic->efa != NULL ? "EFA"
		: nic->ethernet  ? "Ethernet"
				 : "InfiniBand",
		"state", forms[form].state, "phys_state", forms[form].phys_state, "counters",
		counters, "net", counters, "role", nic->role, "monitored", !nic->unmonitored);
	if (nic->rate_gbps > 0)
		json_object_set_new(record, "rate_gbps", json_integer(nic->rate_gbps));
	json_t *interface = check_json_new(nic->efa != NULL ? nic->efa : "{}");
	json_object_update(record, interface);
	json_decref(interface);
	give(world, record);
}

/* Write the events as lines: F fatal, N non-fatal or H healthy, the check's short name, the
 * message. */
static void
tell(struct world *world, const struct eval_result *result)
{
	static const char *const shorts[CHECK_N] = {[CHECK_IB_STATE] = "IS",
		[CHECK_IB_DEGRADATION] = "ID",
		[CHECK_ETH_STATE] = "ES",
		[CHECK_ETH_DEGRADATION] = "ED",
		[CHECK_EFA_STATE] = "AS",
		[CHECK_EFA_DEGRADATION] = "AD"};
	size_t i, used = 0;
	const json_t *event, *note, *decision;
	size_t cleared = 0;
	*world->text = *world->clears = *world->notes = '\0';
	*world->first_id = *world->cause = '\0';
	json_array_foreach (result->events, i, event) {
		const char *name = json_string_value(json_object_get(event, "checkName"));
		const char *message = json_string_value(json_object_get(event, "message"));
		bool clear = strncmp(message, "Baseline reset", 14) == 0;
		const json_t *metadata = json_object_get(event, "metadata");
		if (i == 0)
			snprintf(world->first_id, sizeof world->first_id, "%s",
				json_string_value(json_object_get(event, "id")));
		if (json_object_get(metadata, "cause") != NULL)
			snprintf(world->cause, sizeof world->cause, "%s",
				json_string_value(json_object_get(metadata, "cause")));
		/* Only clearing events have no code. */
		CHECK_INT(json_array_size(json_object_get(event, "errorCode")) > 0, !clear);
		if (clear && event_entity(event, "NIC") != NULL) {
			cleared += (size_t)snprintf(world->clears + cleared,
				sizeof world->clears - cleared, "%s %s\n",
				shorts[check_find(name, strlen(name))], event_entity(event, "NIC"));
			continue;
		}
		bool fatal = json_is_true(json_object_get(event, "isFatal"));
		bool healthy = json_is_true(json_object_get(event, "isHealthy"));
		used += (size_t)snprintf(world->text + used, sizeof world->text - used,
			"%s %s %s\n",
			fatal     ? "F"
			: healthy ? "H"
				  : "N",
			shorts[check_find(name, strlen(name))], message);
		CHECK(!(fatal && healthy));
	}
	json_array_foreach (result->decisions, i, decision) {
		if (strcmp(json_string_value(json_object_get(decision, "about")), "card") == 0)
			snprintf(world->reason, sizeof world->reason, "%s",
				json_string_value(json_object_get(decision, "reason")));
	}
	used = 0;
	json_array_foreach (result->notes, i, note)
		used += (size_t)snprintf(world->notes + used, sizeof world->notes - used, "%s\n",
			json_string_value(note));
}

/* Evaluate one scan; its events are in `text`. */
static void
scan_at(struct world *world, uint64_t at_ns, const struct nic *nics, size_t count)
{
	char ts[CLOCK_STAMP_SIZE];
	bool complete = !world->unlisted;
	int ports = 0;
	struct eval_result result;

	world->number++;
	clock_format(1700000000 * S + at_ns, ts);
	give(world, json_pack("{s:s, s:i, s:s, s:s?, s:s, s:I}", "kind", "scan.begin", "scan",
			    world->number, "node", "n1", "boot_id", world->boot_id, "ts", ts,
			    "boottime_ns", (json_int_t)at_ns));
	for (size_t i = 0; i < count; i++) {
		const struct nic *nic = &nics[i];
		int letters = (int)strlen(nic->ports);
		complete &= nic->error == NULL;
		give(world, json_pack("{s:s, s:i, s:s, s:s?, s:b, s:i, s:s?, s:s?, s:s?, s:b}",
				    "kind", "device", "scan", world->number, "device", nic->name,
				    "pci", nic->pci, "vf", nic->vf, "ports", letters, "error",
				    nic->error, "role", nic->role, "reason", nic->reason,
				    "monitored", !nic->unmonitored));
		for (int n = 1; n <= letters; n++) {
			if (nic->ports[n - 1] == '.')
				continue;
			give_port(world, nic, n, at_ns);
			ports++;
		}
	}
	json_t *functions = world->functions != NULL ? check_json_new(world->functions) : NULL;
	give(world,
		json_pack("{s:s, s:i, s:i, s:i, s:b, s:s?, s:o*}", "kind", "scan.end", "scan",
			world->number, "devices", (int)count, "ports", ports, "complete", complete,
			"error", world->unlisted ? "ENOENT" : NULL, "functions", functions));
	CHECK(world->scan.whole);
	if (world->torn)
		world->scan.whole = false;
	CHECK_INT((world->extra ? eval_extra : eval_scan)(
			  &world->setting, &world->state, &world->stream, &world->scan, &result),
		0);
	tell(world, &result);
	eval_result_fini(&result);
	scan_clear(&world->scan);
	world->torn = world->unlisted = world->extra = false;
}

/* The NICs are the arguments. */
#define SCAN(world, at_s, ...) \
	scan_at(world, (uint64_t)((at_s) * (double)S), (const struct nic[]){__VA_ARGS__}, \
		sizeof((const struct nic[]){__VA_ARGS__}) / sizeof(struct nic))

/* The same, and check that there is no event. */
#define QUIET(world, at_s, ...) \
	do { \
		SCAN(world, at_s, __VA_ARGS__); \
		CHECK_STR((world)->text, ""); \
	} while (0)

/* An extra scan. */
#define EXTRA(world, at_s, ...) \
	do { \
		(world)->extra = true; \
		SCAN(world, at_s, __VA_ARGS__); \
	} while (0)

#define NIC(name_, address, role_, ports_) \
	.name = (name_), .pci = (address ".0"), .role = (role_), .ports = (ports_)
/* Named by the inclusion override. */
#define PINNED(device, card, port_states) \
	{ \
		.name = (device), .pci = card ".0", .role = "compute", .ports = (port_states), \
		.reason = "override" \
	}
#define IB(name_, address, ports_) \
	{ \
		NIC(name_, address, "compute", ports_) \
	}
#define ROCE(name_, address, ports_) \
	{ \
		NIC(name_, address, "storage", ports_), .ethernet = true \
	}
#define DEAD(name_, address) \
	{ \
		NIC(name_, address, "compute", ""), .error = "timeout" \
	}
#define WITH(name_, address, ports_, counters_) \
	{ \
		NIC(name_, address, "compute", ports_), .counters = (counters_) \
	}

#define C0 "0000:18:00"
#define C1 "0000:2a:00"
#define C2 "0000:3b:00"

/* A world in which m0, m1 and m2 were healthy at 0 s. */
static void
healthy_world(struct world *world)
{
	world_init(world);
	QUIET(world, 0, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "A"));
	CHECK_STR(world->notes, "");
}

/* Write the state and read it back, as a restart does. */
static void
restart(struct world *world)
{
	struct outbox outbox;
	struct rec_error error = {.reason = ""};
	CHECK_INT(outbox_init(&outbox), 0);
	struct statefile file = {
		.state = &world->state, .stream = &world->stream, .outbox = &outbox};
	char *text = statefile_encode_new(&file, &world->counters, "T", 0);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	state_fini(&world->state);
	state_init(&world->state, world->counters.count);
	CHECK_INT(statefile_decode(root,
			  &(const struct statefile_rules){
				  .counters = &world->counters, .counter_detection = true},
			  &file, &error),
		0);
	CHECK_STR(error.reason, "");
	json_decref(root);
	outbox_fini(&outbox);
}

/* --- first scans and baselines --- */

static void
baseline_order(void)
{
	struct world world;
	world_init(&world);
	world.setting.baselines = true;
	state_owe_baselines(&world.state, true);
	SCAN(&world, 10, WITH("m0", C0, "A", "{'link_downed':5,'symbol_error':1}"),
		IB("m1", C1, "A"), IB("m2", C2, "D"),
		{.name = "r0",
			.pci = "0000:4c:00.0",
			.role = "storage",
			.ports = "A",
			.ethernet = true,
			.counters = "{'carrier_changes':2}"});
	CHECK_STR(world.text,
		"H IS " CLEARED "\n"
		"H IS Port m0 port 1: healthy (ACTIVE, LinkUp)\n"
		"H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n"
		"H IS Card 0000:18:00 healthy: 1 active ports meet peer mode 1\n"
		"H IS Card 0000:2a:00 healthy: 1 active ports meet peer mode 1\n"
		"H IS Counter link_downed healthy after reboot on port m0 port 1\n"
		"H IS Counter symbol_error_fatal healthy after reboot on port m0 port 1\n"
		"F IS Card 0000:3b:00 has 0 active ports, expected 1 (peer mode)\n"
		"F IS Port m2 port 1: state DOWN, phys_state Disabled\n"
		"H ID " CLEARED "\n"
		"H ID Counter symbol_error healthy after reboot on port m0 port 1\n"
		"H ES " CLEARED "\n"
		"H ES RoCE port r0 port 1: healthy (ACTIVE, LinkUp)\n"
		"H ED " CLEARED "\n"
		"H ED Counter carrier_changes healthy after reboot on port r0 port 1\n");
	CHECK(world.state.settled && !world.state.baseline_owed[CHECK_IB_STATE]);
	/* Only once. */
	QUIET(&world, 11, WITH("m0", C0, "A", "{'link_downed':5,'symbol_error':1}"),
		IB("m1", C1, "A"), IB("m2", C2, "D"), ROCE("r0", "0000:4c:00", "A"));
	world_fini(&world);
}

static void
baseline_without(void)
{
	/* No clearing events if they are switched off, and no event of a check that is. */
	struct world world;
	world_init(&world);
	state_owe_baselines(&world.state, true);
	world.setting.clear_check = false;
	world.setting.enabled[CHECK_IB_STATE] = false;
	SCAN(&world, 10, WITH("m0", C0, "A", "{'link_downed':5,'symbol_error':1}"),
		ROCE("r0", "0000:4c:00", "A"));
	CHECK_STR(world.text, "H ID Counter symbol_error healthy after reboot on port m0 port 1\n"
			      "H ES RoCE port r0 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

static void
waits_for_a_complete_scan(void)
{
	struct world world;
	world_init(&world);
	state_owe_baselines(&world.state, true);
	world.setting.clear_check = false;
	QUIET(&world, 0, IB("m0", C0, "A"), IB("m1", C1, "D"), DEAD("m2", C2));
	CHECK(world.state.baseline_owed[CHECK_IB_STATE] && !world.state.settled);
	SCAN(&world, 1, IB("m0", C0, "A"), IB("m1", C1, "D"), IB("m2", C2, "A"));
	CHECK_STR(world.text, "H IS Port m0 port 1: healthy (ACTIVE, LinkUp)\n"
			      "H IS Port m2 port 1: healthy (ACTIVE, LinkUp)\n"
			      "H IS Card 0000:18:00 healthy: 1 active ports meet peer mode 1\n"
			      "H IS Card 0000:3b:00 healthy: 1 active ports meet peer mode 1\n"
			      "F IS Card 0000:2a:00 has 0 active ports, expected 1 (peer mode)\n"
			      "F IS Port m1 port 1: state DOWN, phys_state Disabled\n");
	world_fini(&world);
}

static void
waits_no_longer_than_three(void)
{
	struct world world;
	world_init(&world);
	state_owe_baselines(&world.state, true);
	world.setting.clear_check = false;
	for (int i = 0; i < 2; i++)
		QUIET(&world, i, WITH("m0", C0, "A", "{'link_downed':0}"), DEAD("m1", C1));
	/* Growth meanwhile is judged with the first verdicts. */
	SCAN(&world, 2, WITH("m0", C0, "A", "{'link_downed':1}"), DEAD("m1", C1));
	CHECK_STR(world.text, "H IS Port m0 port 1: healthy (ACTIVE, LinkUp)\n"
			      "H IS Counter link_downed healthy after reboot on port m0 port 1\n"
			      "N IS NIC m1 cannot be read (timeout)\n"
			      "F IS Port m0 port 1: link_downed - Port Training State Machine "
			      "failed - QP disconnect (value=1, delta=1, rate=0.50/sec)\n");
	world_fini(&world);
}

static void
late_baseline(void)
{
	struct world world;
	world_init(&world);
	state_owe_baselines(&world.state, true);
	for (int i = 0; i < 3; i++)
		SCAN(&world, i, IB("m0", C0, "A"), DEAD("m1", C1));
	QUIET(&world, 3, IB("m0", C0, "A"), DEAD("m1", C1));
	SCAN(&world, 4, IB("m0", C0, "A"),
		WITH("m1", C1, "A", "{'link_downed':7,'symbol_error':0}"));
	CHECK_STR(world.clears, "IS m1\nID m1\nIS 0000:2a:00\n");
	CHECK_STR(world.text,
		"H ID " CLEARED "\n"
		"H ES " CLEARED "\n"
		"H ED " CLEARED "\n"
		"H IS NIC m1 can be read again\n"
		"H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n"
		"H IS Counter link_downed healthy after reboot on port m1 port 1\n"
		"H IS Counter symbol_error_fatal healthy after reboot on port m1 port 1\n"
		"H ID Counter symbol_error healthy after reboot on port m1 port 1\n");
	/* Until now the unreadable device stood under this check. */
	SCAN(&world, 5, IB("m0", C0, "A"), WITH("m1", C1, "A", "{'link_downed':7}"));
	CHECK_STR(world.clears, "");
	CHECK_STR(world.text, "H IS " CLEARED "\n");
	QUIET(&world, 6, IB("m0", C0, "A"), WITH("m1", C1, "A", "{'link_downed':7}"));
	world_fini(&world);
}

static void
late_baseline_of_whole_scan(void)
{
	struct world world;
	world_init(&world);
	world.setting.clear_check = false;
	state_owe_baselines(&world.state, true);
	for (int i = 0; i < 3; i++)
		SCAN(&world, i, IB("m0", C0, "A"), DEAD("m1", C1));
	/* The record of its second port was lost. */
	world.torn = true;
	SCAN(&world, 3, IB("m0", C0, "A"), IB("m1", C1, "A."));
	CHECK_STR(world.text, "H IS NIC m1 can be read again\n");
	SCAN(&world, 4, IB("m0", C0, "A"), IB("m1", C1, "AA"));
	CHECK_STR(world.text, "H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n"
			      "H IS Port m1 port 2: healthy (ACTIVE, LinkUp)\n");
	QUIET(&world, 5, IB("m0", C0, "A"), IB("m1", C1, "AA"));
	world_fini(&world);
}

static void
late_listed(void)
{
	/* The driver of m1 is loaded after the baseline. Only an event that clears the whole check
	 * clears what was reported about m1 before the boot. */
	for (int i = 0; i < 8; i++) {
		const bool one_by_one = i & 1, restarted = i & 2, unreadable = i & 4;
		struct world world;
		world_init(&world);
		world.setting.clear_check = !one_by_one;
		world.setting.baselines = true;
		state_owe_baselines(&world.state, true);
		check_row("one by one: %d, restarted: %d, unreadable: %d", one_by_one, restarted,
			unreadable);
		SCAN(&world, 0, IB("m0", C0, "A"), IB("m2", C2, "A"));
		if (restarted)
			restart(&world);
		if (unreadable)
			QUIET(&world, 1, IB("m0", C0, "A"), DEAD("m1", C1), IB("m2", C2, "A"));
		if (unreadable && restarted)
			restart(&world);
		SCAN(&world, 2, IB("m0", C0, "A"),
			WITH("m1", C1, "A", "{'link_downed':7,'port_rcv_errors':0}"),
			IB("m2", C2, "A"));
		CHECK_STR(world.clears, one_by_one ? "IS m1\nID m1\nIS 0000:2a:00\n" : "");
		CHECK_STR(world.text,
			one_by_one
				? "H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n"
				  "H IS Counter link_downed healthy after reboot on port m1 port "
				  "1\n"
				  "H ID Counter port_rcv_errors healthy after reboot on port m1 "
				  "port 1\n"
				: "");
		SCAN(&world, 3, IB("m0", C0, "A"),
			WITH("m1", C1, "A", "{'link_downed':7,'port_rcv_errors':0}"),
			IB("m2", C2, "A"));
		CHECK_STR(world.clears, "");
		CHECK_STR(world.text, "");
		world_fini(&world);
	}
}

static void
unlisted_is_no_first_scan(void)
{
	/* The driver is not loaded yet: the verdicts wait, however long that takes. */
	struct world world;
	world_init(&world);
	state_owe_baselines(&world.state, true);
	for (int i = 0; i < 5; i++) {
		world.unlisted = true;
		scan_at(&world, (uint64_t)i * S, NULL, 0);
		CHECK_STR(world.text, "");
		CHECK(!world.state.settled && world.state.baseline_owed[CHECK_IB_STATE]);
	}
	SCAN(&world, 5, IB("m0", C0, "A"));
	CHECK_HAS(world.text, "H IS Baseline reset");
	CHECK_HAS(world.text, "H IS Port m0 port 1: healthy");
	world_fini(&world);
}

static void
first_sight(void)
{
	/* Without evidence an unhealthy port is a note. A card below its peers, or the
	 * configuration, is evidence. */
	static const struct {
		const char *what;
		struct nic nics[3];
		const char *text, *notes;
	} rows[] = {
		{"alone", {IB("m0", C0, "D")}, "",
			"Port m0 port 1: state DOWN, phys_state Disabled: already so when first "
			"seen, not reported\n"},
		{"pinned",
			{{.name = "m0",
				.pci = C0 ".0",
				.role = "compute",
				.ports = "D",
				.reason = "override"}},
			"F IS Port m0 port 1: state DOWN, phys_state Disabled\n", ""},
		{"pinned, degraded",
			{{.name = "m0",
				.pci = C0 ".0",
				.role = "compute",
				.ports = "P",
				.reason = "override"}},
			"N IS Port m0 port 1: state DOWN, phys_state Polling\n", ""},
		{"pinned, one of three",
			{PINNED("m0", C0, "A"), PINNED("m1", C1, "I"), PINNED("m2", C2, "A")},
			"N IS Port m1 port 1: state INIT, phys_state LinkUp\n", ""},
		{"one of two", {IB("m0", C0, "A"), IB("m1", C1, "D")}, "",
			"Port m1 port 1: state DOWN, phys_state Disabled: already so when first "
			"seen, not reported\n"},
		{"one of three", {IB("m0", C0, "A"), IB("m1", C1, "I"), IB("m2", C2, "A")},
			"F IS Card 0000:2a:00 has 0 active ports, expected 1 (peer mode)\n"
			"N IS Port m1 port 1: state INIT, phys_state LinkUp\n",
			""},
		{"the odd one has another role",
			{IB("m0", C0, "A"), IB("m1", C1, "A"),
				{.name = "m2", .pci = C2 ".0", .role = "storage", .ports = "D"}},
			"",
			"Port m2 port 1: state DOWN, phys_state Disabled: already so when first "
			"seen, not reported\n"},
		{"the odd one out is Ethernet",
			{IB("m0", C0, "A"), IB("m1", C1, "A"),
				{.name = "m2",
					.pci = C2 ".0",
					.role = "compute",
					.ports = "D",
					.ethernet = true}},
			"",
			"RoCE port m2 port 1: state DOWN, phys_state Disabled, operstate unknown "
			"(no interface): already so when first seen, not reported\n"},
		{"no role is known",
			{{.name = "m0", .pci = C0 ".0", .ports = "A"},
				{.name = "m1", .pci = C1 ".0", .ports = "A"},
				{.name = "m2", .pci = C2 ".0", .ports = "D"}},
			"",
			"Port m2 port 1: state DOWN, phys_state Disabled: already so when first "
			"seen, not reported\n"},
		{"a function is management",
			{IB("m0", C0, "D"), IB("m1", C1, "A"),
				{.name = "m2",
					.pci = C0 ".1",
					.role = "management",
					.ports = "A",
					.unmonitored = true}},
			"",
			"Port m0 port 1: state DOWN, phys_state Disabled: already so when first "
			"seen, not reported\n"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		size_t count = 0;
		while (count < 3 && rows[i].nics[count].name != NULL)
			count++;
		world_init(&world);
		check_row("%s", rows[i].what);
		scan_at(&world, S, rows[i].nics, count);
		CHECK_STR(world.text, rows[i].text);
		CHECK_STR(world.notes, rows[i].notes);
		world_fini(&world);
	}
}

/* --- boots and scopes --- */

static void
boot_in_mid_stream(void)
{
	for (int baselines = 0; baselines <= 1; baselines++) {
		struct world world;
		check_row("baselines %d", baselines);
		healthy_world(&world);
		world.setting.baselines = baselines != 0;
		world.setting.clear_check = false;
		SCAN(&world, 1, IB("m0", C0, "D"), IB("m1", C1, "A"), IB("m2", C2, "A"));
		CHECK_STR(world.text, "F IS Port m0 port 1: state DOWN, phys_state Disabled\n");
		world.boot_id = "b2";
		/* m2 did not come up after the reboot, and its past is forgotten. */
		SCAN(&world, 0.5, IB("m0", C0, "A"), IB("m1", C1, "A"));
		CHECK_STR(world.text,
			baselines
				? "H IS Port m0 port 1: healthy (ACTIVE, LinkUp)\n"
				  "H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n"
				  "H IS Card 0000:18:00 healthy: 1 active ports meet peer mode 1\n"
				  "H IS Card 0000:2a:00 healthy: 1 active ports meet peer mode 1\n"
				: "");
		CHECK_HAS(world.notes, "the node has rebooted");
		CHECK_STR(world.state.boot_id, "b2");
		CHECK(state_find_device(&world.state, "m2") == NULL);
		world_fini(&world);
	}
}

static void
unknown_boot(void)
{
	static const char *const unknown[] = {NULL, ""};
	for (size_t i = 0; i < CHECK_COUNT(unknown); i++) {
		struct world world;
		check_row("boot id %zu", i);
		healthy_world(&world);
		world.setting.baselines = true;
		world.boot_id = unknown[i];
		SCAN(&world, 1, IB("m0", C0, "D"), IB("m1", C1, "A"), IB("m2", C2, "A"));
		CHECK_STR(world.text, "F IS Port m0 port 1: state DOWN, phys_state Disabled\n");
		CHECK_STR(world.state.boot_id, "b1");
		world_fini(&world);
	}
}

static void
scope_change(void)
{
	struct world world;
	healthy_world(&world);
	SCAN(&world, 1, IB("m0", C0, "D"), WITH("m1", C1, "A", "{'link_downed':1}"),
		IB("m2", C2, "A"));
	CHECK_STR(world.text, "F IS Port m0 port 1: state DOWN, phys_state Disabled\n");
	forget_scope(&world.state);
	/* m2 is no longer listed, which gives no event. m0 is still down, which was reported.
	 * Growth is growth. */
	SCAN(&world, 2, IB("m0", C0, "D"), WITH("m1", C1, "A", "{'link_downed':2}"));
	CHECK_STR(world.text, "F IS Port m1 port 1: link_downed - Port Training State Machine "
			      "failed - QP disconnect (value=2, delta=1, rate=1.00/sec)\n");
	CHECK_STR(world.notes, "");
	SCAN(&world, 3, IB("m0", C0, "A"), WITH("m1", C1, "A", "{'link_downed':2}"));
	CHECK_STR(world.text, "H IS Port m0 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

static void
scope_excludes(void)
{
	/* For a device that the new settings exclude, the reports about its port and counters are
	 * taken back. */
	struct world world;
	healthy_world(&world);
	SCAN(&world, 1, WITH("m0", C0, "A", "{'link_downed':0}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	SCAN(&world, 2, WITH("m0", C0, "D", "{'link_downed':1}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	CHECK_HAS(world.text, "F IS Port m0 port 1: state DOWN, phys_state Disabled\n");
	CHECK_HAS(world.text, "F IS Port m0 port 1: link_downed");
	forget_scope(&world.state);
	SCAN(&world, 3,
		{.name = "m0",
			.pci = C0 ".0",
			.reason = "excluded",
			.ports = "D",
			.unmonitored = true},
		IB("m1", C1, "A"), IB("m2", C2, "A"));
	CHECK_STR(world.text, "H IS Counter link_downed on m0 " LEFT "\n"
			      "H IS Port m0 port 1 is no longer monitored\n");
	CHECK(state_find_port(&world.state, "m0", 1) == NULL);
	world_fini(&world);
}

/* --- torn scans, missing devices and ports --- */

static void
torn_scan(void)
{
	/* It is evidence only about the devices in it. */
	struct world world;
	healthy_world(&world);
	world.torn = true;
	SCAN(&world, 1, IB("m0", C0, "D"), IB("m1", C1, "A"));
	CHECK_STR(world.text, "F IS Port m0 port 1: state DOWN, phys_state Disabled\n");
	world.unlisted = true;
	scan_at(&world, 2 * S, NULL, 0);
	CHECK_STR(world.text, "");
	SCAN(&world, 3, IB("m0", C0, "D"), IB("m1", C1, "A"));
	CHECK_STR(world.text,
		"F IS NIC m2 disappeared from /sys/class/infiniband/ - hardware failure\n");
	world_fini(&world);
}

static void
torn_name(void)
{
	/* An unmonitored device has the name now: m0 may be under another name in the lost part. */
	struct world world;
	healthy_world(&world);
	SCAN(&world, 1, IB("m0", C0, "D"), IB("m1", C1, "A"), IB("m2", C2, "A"));
	world.torn = true;
	QUIET(&world, 2, {.name = "m0", .pci = "0000:5d:00.0", .ports = "D", .unmonitored = true},
		IB("m1", C1, "A"), IB("m2", C2, "A"));
	CHECK(state_find_port(&world.state, "m0", 1) != NULL);
	world_fini(&world);
}

static void
torn_recovery(void)
{
	/* An anomalous card stays anomalous in a torn scan. */
	struct world world;
	world_init(&world);
	SCAN(&world, 0, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "D"));
	CHECK_HAS(world.text, "F IS Card 0000:3b:00 has 0 active ports");
	/* Here the card is the evidence about its port. */
	CHECK_STR(world.cause, world.first_id);
	world.torn = true;
	SCAN(&world, 1, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "A"));
	CHECK_STR(world.text, "H IS Port m2 port 1: healthy (ACTIVE, LinkUp)\n");
	SCAN(&world, 2, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "A"));
	CHECK_STR(world.text, "H IS Card 0000:3b:00 healthy: 1 active ports meet peer mode 1\n");
	world_fini(&world);
}

static void
confirm_scans(void)
{
	for (unsigned confirm = 1; confirm <= 4; confirm++) {
		struct world world;
		check_row("confirmScans %u", confirm);
		healthy_world(&world);
		world.setting.confirm_scans = confirm;
		/* One scan too few, and back: the count starts over. */
		for (unsigned i = 1; i < confirm; i++)
			QUIET(&world, i, IB("m0", C0, "A"), IB("m1", C1, "A"));
		QUIET(&world, 10, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "A"));
		/* A torn scan in between neither counts nor starts the count over. */
		for (unsigned i = 1; i < confirm; i++) {
			QUIET(&world, 10 + i, IB("m0", C0, "A"), IB("m1", C1, "A"));
			world.torn = true;
			QUIET(&world, 10.5 + i, IB("m0", C0, "A"), IB("m1", C1, "A"));
		}
		SCAN(&world, 20, IB("m0", C0, "A"), IB("m1", C1, "A"));
		CHECK_STR(world.text,
			"F IS NIC m2 disappeared from /sys/class/infiniband/ - hardware failure\n");
		QUIET(&world, 21, IB("m0", C0, "A"), IB("m1", C1, "A"));
		world_fini(&world);
	}
}

static void
device_back(void)
{
	/* A device is back when it has a healthy port. */
	struct world world;
	healthy_world(&world);
	SCAN(&world, 1, IB("m0", C0, "A"), IB("m1", C1, "A"));
	CHECK_HAS(world.text, "F IS NIC m2 disappeared");
	QUIET(&world, 2, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "D"));
	QUIET(&world, 3, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "P"));
	/* Gone again: the report stands. */
	QUIET(&world, 4, IB("m0", C0, "A"), IB("m1", C1, "A"));
	SCAN(&world, 5, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "A"));
	CHECK_STR(world.text, "H IS Device m2 re-enumerated in sysfs\n"
			      "H IS Port m2 port 1: healthy (ACTIVE, LinkUp)\n");
	SCAN(&world, 6, IB("m0", C0, "A"), IB("m1", C1, "A"));
	CHECK_HAS(world.text, "F IS NIC m2 disappeared");
	world_fini(&world);
}

static void
part_gone(void)
{
	/* Records of an ibscan that does not know parts: a device that shares a NIC's function is
	 * not a NIC. */
	struct world world;
	world_init(&world);
	SCAN(&world, 0, IB("m0", C0, "A"), IB("smi0", C0, "AAAA"), IB("m1", C1, "A"));
	QUIET(&world, 1, IB("m0", C0, "A"), IB("m1", C1, "A"));
	CHECK_STR(world.notes,
		"RDMA device smi0 of NIC m0 (" C0 ".0) has been deleted: that NIC is still on its "
		"PCI function, and nothing is missing\n");
	QUIET(&world, 2, IB("m0", C0, "A"), IB("m1", C1, "A"));
	CHECK_STR(world.notes, "");
	SCAN(&world, 3, IB("m1", C1, "A"));
	CHECK_STR(world.text,
		"F IS NIC m0 disappeared from /sys/class/infiniband/ - hardware failure\n");
	world_fini(&world);
}

static void
many_gone(void)
{
	/* Sorted by number, whatever the order in the scan. */
	struct world world;
	world_init(&world);
	SCAN(&world, 0, IB("m10", C0, "A"), IB("m2", C1, "A"), IB("m0", "0000:7f:00", "A"),
		IB("m1", C2, "A"));
	SCAN(&world, 1, IB("m1", C2, "A"));
	CHECK_STR(world.text,
		"F IS NIC m0 disappeared from /sys/class/infiniband/ - hardware failure\n"
		"F IS NIC m2 disappeared from /sys/class/infiniband/ - hardware failure\n"
		"F IS NIC m10 disappeared from /sys/class/infiniband/ - hardware failure\n");
	world_fini(&world);
}

static void
port_gone(void)
{
	struct world world;
	world_init(&world);
	SCAN(&world, 0, IB("m0", C0, "AA"));
	SCAN(&world, 1, IB("m0", C0, "A."));
	CHECK_STR(world.text, "F IS Port m0 port 2 disappeared from sysfs\n");
	QUIET(&world, 2, IB("m0", C0, "A."));
	/* A device that cannot be read does not show its ports: that is no evidence. */
	QUIET(&world, 3, DEAD("m0", C0));
	QUIET(&world, 4, IB("m0", C0, "AD"));
	SCAN(&world, 5, IB("m0", C0, "AA"));
	CHECK_STR(world.text, "H IS Port m0 port 2 is back in sysfs\n"
			      "H IS Port m0 port 2: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

static void
unreadable(void)
{
	struct world world;
	healthy_world(&world);
	for (int i = 1; i <= 5; i++) {
		SCAN(&world, i, IB("m0", C0, "A"), DEAD("m1", C1),
			IB("m2", C2, i == 2 ? "D" : "A"));
		check_row("scan %d", i);
		/* The other devices are evaluated as usual. */
		CHECK_STR(world.text,
			i == 2   ? "F IS Port m2 port 1: state DOWN, phys_state Disabled\n"
			: i == 3 ? "N IS NIC m1 cannot be read (timeout)\n"
				   "H IS Port m2 port 1: healthy (ACTIVE, LinkUp)\n"
				 : "");
	}
	SCAN(&world, 6, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "A"));
	CHECK_STR(world.text, "H IS NIC m1 can be read again\n");
	world_fini(&world);
}

static void
unreadable_state(void)
{
	struct world world;
	healthy_world(&world);
	SCAN(&world, 1, IB("m0", C0, "D"), IB("m1", C1, "?"), IB("m2", C2, "A"));
	CHECK_STR(world.text, "F IS Port m0 port 1: state DOWN, phys_state Disabled\n");
	QUIET(&world, 2, IB("m0", C0, "?"), IB("m1", C1, "A"), IB("m2", C2, "A"));
	SCAN(&world, 3, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "A"));
	CHECK_STR(world.text, "H IS Port m0 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

/* --- cards, later --- */

static void
bonded_card(void)
{
	/* One RDMA device with one port stands for both functions. */
	struct world world;
	world_init(&world);
	QUIET(&world, 0, IB("m0", C0, "AA"), IB("m1", C1, "AA"), IB("mlx5_bond_0", C2, "A"));
	QUIET(&world, 100, IB("m0", C0, "AA"), IB("m1", C1, "AA"), IB("mlx5_bond_0", C2, "A"));
	SCAN(&world, 200, IB("m0", C0, "AA"), IB("m1", C1, "AA"), IB("mlx5_bond_0", C2, "D"));
	CHECK_STR(world.text, "F IS Port mlx5_bond_0 port 1: state DOWN, phys_state Disabled\n");
	world_fini(&world);
}

static void
card_causes(void)
{
	/* An event that follows from the port that a card lacks has the card's event as its cause.
	 * Another fault, or one that names the culprit better than the card, has none. */
	const struct nic stuck[] = {IB("m0", C0, "AA"), IB("m1", C1, "AA"), IB("m2", C2, "IA")};
	const struct nic both[] = {IB("m0", C0, "AA"), IB("m1", C1, "AA"), IB("m2", C2, "ID")};
	const struct nic worse[] = {IB("m0", C0, "AA"), IB("m1", C1, "AA"), IB("m2", C2, "DD")};
	const struct nic well[] = {IB("m0", C0, "AA"), IB("m1", C1, "AA"), IB("m2", C2, "AA")};
	for (unsigned gone = 0; gone < 2; gone++) {
		struct world world;
		char card_id[sizeof world.first_id];
		check_row("%s", gone > 0 ? "the device goes" : "the ports get worse");
		world_init(&world);
		scan_at(&world, 0, well, 3);
		scan_at(&world, 10 * S, stuck, 3);
		scan_at(&world, 40 * S, stuck, 3);
		CHECK_HAS(world.text, "F IS Card 0000:3b:00 has 1 active ports");
		memcpy(card_id, world.first_id, sizeof card_id);
		if (gone > 0) {
			scan_at(&world, 41 * S, stuck, 2);
			CHECK_STR(world.text, "F IS NIC m2 disappeared from /sys/class/infiniband/ "
					      "- hardware failure\n");
			CHECK_STR(world.cause, "");
		} else {
			scan_at(&world, 41 * S, both, 3);
			CHECK_STR(world.text,
				"F IS Port m2 port 2: state DOWN, phys_state Disabled\n");
			CHECK_STR(world.cause, "");
			scan_at(&world, 42 * S, worse, 3);
			CHECK_STR(world.text,
				"F IS Port m2 port 1: state DOWN, phys_state Disabled\n");
			CHECK_STR(world.cause, card_id);
		}
		world_fini(&world);
	}
}

static void
card_settles(void)
{
	/* A port stuck in INIT is non-fatal by itself. After settleSeconds, to the nanosecond, its
	 * card is fatal. */
	const struct nic stuck[] = {IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "I")};
	const struct nic well[] = {IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "A")};
	struct world world;
	healthy_world(&world);
	char port_id[sizeof world.first_id];
	scan_at(&world, 10 * S, stuck, 3);
	CHECK_STR(world.text, "N IS Port m2 port 1: state INIT, phys_state LinkUp\n");
	memcpy(port_id, world.first_id, sizeof port_id);
	scan_at(&world, 40 * S - 1, stuck, 3);
	CHECK_STR(world.text, "");
	scan_at(&world, 40 * S, stuck, 3);
	CHECK_STR(world.text, "F IS Card 0000:3b:00 has 0 active ports, expected 1 (peer mode)\n");
	CHECK_STR(world.cause, port_id);
	scan_at(&world, 41 * S, stuck, 3);
	CHECK_STR(world.text, "");
	scan_at(&world, 42 * S, well, 3);
	CHECK_STR(world.text, "H IS Port m2 port 1: healthy (ACTIVE, LinkUp)\n"
			      "H IS Card 0000:3b:00 healthy: 1 active ports meet peer mode 1\n");
	/* The time below the peers starts over. */
	scan_at(&world, 50 * S, stuck, 3);
	scan_at(&world, 60 * S, well, 3);
	scan_at(&world, 70 * S, stuck, 3);
	scan_at(&world, 100 * S - 1, stuck, 3);
	CHECK_STR(world.text, "");
	scan_at(&world, 100 * S, stuck, 3);
	CHECK_HAS(world.text, "F IS Card 0000:3b:00");
	world_fini(&world);
}

/* The second function of a card. */
#define SECOND(name_, address, ports_) \
	{ \
		.name = (name_), .pci = address ".1", .role = "compute", .ports = (ports_) \
	}

/* Cards of two ports, and m0, whose card may have another function. */
#define TWO_PORTS(...) \
	IB("m0", C0, "A"), IB("m1", C1, "A"), SECOND("n1", C1, "A"), IB("m2", C2, "A"), \
		SECOND("n2", C2, "A"), ##__VA_ARGS__

static void
exempt_function_vanishes(void)
{
	static const struct {
		const char *what;
		struct nic nic;
	} rows[] = {
		{"management", {.role = "management", .unmonitored = true}},
		{"excluded", {.reason = "excluded", .unmonitored = true}},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct nic exempt = rows[i].nic;
		struct world world;
		exempt.name = "n0";
		exempt.pci = C0 ".1";
		exempt.ports = "A";
		check_row("%s", rows[i].what);
		world_init(&world);
		QUIET(&world, 0, TWO_PORTS(exempt));
		QUIET(&world, 1, TWO_PORTS());
		QUIET(&world, 100, TWO_PORTS());
		restart(&world);
		QUIET(&world, 101, TWO_PORTS());
		forget_scope(&world.state);
		QUIET(&world, 102, TWO_PORTS());
		QUIET(&world, 200, TWO_PORTS());
		world.boot_id = "b2";
		QUIET(&world, 5, TWO_PORTS());
		QUIET(&world, 105, TWO_PORTS());
		/* It is back and is to be watched, but its port stays down. */
		QUIET(&world, 106, TWO_PORTS(SECOND("n0", C0, "D")));
		SCAN(&world, 136, TWO_PORTS(SECOND("n0", C0, "D")));
		CHECK_STR(world.text,
			"F IS Card 0000:18:00 has 1 active ports, expected 2 (peer mode)\n");
		world_fini(&world);
	}
}

/* Three cards of a port each, and a fourth one whose role depends on the default route. */
#define CLOUD(...) IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "A"), ##__VA_ARGS__
#define C3 "0000:4c:00"
#define HOST(ports_) \
	{ \
		.name = "m3", .pci = C3 ".0", .role = "management", .reason = "default_route", \
		.ports = (ports_), .unmonitored = true \
	}
#define NO_HOST(ports_) IB("m3", C3, ports_)

/* topoclass starts while the link of the management NIC is down and its route gone. */
static void
default_route_is_gone(void)
{
	struct world world;
	world_init(&world);
	QUIET(&world, 0, CLOUD(HOST("A")));
	QUIET(&world, 1, CLOUD(HOST("D")));
	restart(&world);
	QUIET(&world, 2, CLOUD(NO_HOST("D")));
	QUIET(&world, 100, CLOUD(NO_HOST("D")));
	check_row("in the first scan of a boot");
	world.boot_id = "b2";
	QUIET(&world, 5, CLOUD(NO_HOST("D")));
	CHECK_INT(world.state.host_nics.count, 1);
	check_row("the route is back");
	QUIET(&world, 6, CLOUD(HOST("A")));
	check_row("its link comes up before its route, so it is watched like any other");
	world.boot_id = "b3";
	QUIET(&world, 5, CLOUD(NO_HOST("A")));
	CHECK_INT(world.state.host_nics.count, 0);
	SCAN(&world, 6, CLOUD(NO_HOST("D")));
	CHECK_STR(world.text, "F IS Port m3 port 1: state DOWN, phys_state Disabled\n");
	world_fini(&world);

	check_row("another device carries the route");
	world_init(&world);
	QUIET(&world, 0, CLOUD(HOST("A")));
	world.boot_id = "b2";
	SCAN(&world, 0,
		CLOUD(NO_HOST("D"), {.name = "m4",
					    .pci = "0000:77:00.0",
					    .role = "management",
					    .reason = "default_route",
					    .ports = "A",
					    .unmonitored = true}));
	CHECK_HAS(world.text, "F IS Card " C3 " has 0 active ports, expected 1 (peer mode)\n");
	world_fini(&world);
}

/* An operator excludes a NIC that is gone. */
static void
excluded_when_gone(void)
{
	struct world world;
	struct rx_list excluded;
	struct rx_error error;
	CHECK_INT(rx_list_init(&excluded, "^n0$", &error), 0);
	world_init(&world);
	QUIET(&world, 0, TWO_PORTS(SECOND("n0", C0, "A")));
	SCAN(&world, 1, TWO_PORTS());
	CHECK_STR(world.text,
		"F IS NIC n0 disappeared from /sys/class/infiniband/ - hardware failure\n");
	world.setting.exclusion = &excluded;
	forget_scope(&world.state);
	SCAN(&world, 2, TWO_PORTS());
	CHECK_STR(world.text, "H IS NIC n0 is no longer monitored\n");
	QUIET(&world, 3, TWO_PORTS());
	QUIET(&world, 100, TWO_PORTS());
	rx_list_fini(&excluded);
	world_fini(&world);
}

static void
card_without_peers(void)
{
	/* As when topoclass is started without metadata: no NIC has a role any more. */
	struct world world;
	healthy_world(&world);
	SCAN(&world, 10, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "I"));
	SCAN(&world, 50, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "I"));
	CHECK_STR(world.text, "F IS Card 0000:3b:00 has 0 active ports, expected 1 (peer mode)\n");
	QUIET(&world, 51, {NIC("m0", C0, NULL, "A")}, {NIC("m1", C1, NULL, "A")},
		{NIC("m2", C2, NULL, "I")});
	SCAN(&world, 52, {NIC("m0", C0, NULL, "A")}, {NIC("m1", C1, NULL, "A")},
		{NIC("m2", C2, NULL, "A")});
	CHECK_STR(world.text, "H IS Card 0000:3b:00 exempt from peer comparison (its peers are no "
			      "longer known); clearing anomaly\n"
			      "H IS Port m2 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

/* Nobody knows whether it was to be watched: that it vanishes may be a fault. */
static void
unreadable_function_vanishes(void)
{
	struct world world;
	world_init(&world);
	QUIET(&world, 0,
		TWO_PORTS({.name = "n0",
			.pci = C0 ".1",
			.ports = "",
			.reason = "unreadable",
			.error = "EIO",
			.unmonitored = true}));
	SCAN(&world, 1, TWO_PORTS());
	CHECK_STR(world.text, "F IS Card 0000:18:00 has 1 active ports, expected 2 (peer mode)\n");
	world_fini(&world);
}

static void
card_settles_again(void)
{
	/* Below its peers for one scan, then in scans that decide nothing, then again for one. */
	static const struct {
		const char *what, *ports[3];
		const char *error; /* of the device of the third card */
		bool listed;       /* this device */
	} rows[] = {
		{"no card has an active port", {"P", "P", "P"}, NULL, true},
		{"a tie", {"A", ".", "I"}, NULL, true},
		{"unreadable", {"A", "A", ""}, "timeout", true},
		{"unreadable state", {"A", "A", "?"}, NULL, true},
		{"absent, but not often enough", {"A", "A", ""}, NULL, false},
	};
	const struct nic stuck[] = {IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "I")};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		const struct nic undecided[] = {IB("m0", C0, rows[i].ports[0]),
			IB("m1", C1, rows[i].ports[1]),
			{NIC("m2", C2, "compute", rows[i].ports[2]), .error = rows[i].error}};
		healthy_world(&world);
		world.setting.confirm_scans = 100;
		check_row("%s", rows[i].what);
		scan_at(&world, 10 * S, stuck, 3);
		for (uint64_t at = 11; at < 61; at += 10)
			scan_at(&world, at * S, undecided, rows[i].listed ? 3 : 2);
		scan_at(&world, 61 * S, stuck, 3);
		CHECK(strstr(world.text, "Card") == NULL);
		scan_at(&world, 91 * S - 1, stuck, 3);
		CHECK(strstr(world.text, "Card") == NULL);
		scan_at(&world, 91 * S, stuck, 3);
		CHECK_HAS(world.text, "F IS Card 0000:3b:00 has 0 active ports");
		/* A report that is open stays so. */
		scan_at(&world, 92 * S, undecided, rows[i].listed ? 3 : 2);
		CHECK(strstr(world.text, "Card") == NULL);
		scan_at(&world, 93 * S, stuck, 3);
		CHECK(strstr(world.text, "Card") == NULL);
		world_fini(&world);
	}
}

static void
card_settles_through_gaps(void)
{
	/* A lost line, or a list that could not be read, says nothing about the card. */
	const struct nic stuck[] = {IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "I")};
	struct world world;
	healthy_world(&world);
	scan_at(&world, 10 * S, stuck, 3);
	world.torn = true;
	scan_at(&world, 20 * S, stuck, 2);
	world.unlisted = true;
	scan_at(&world, 30 * S, stuck, 0);
	scan_at(&world, 40 * S, stuck, 3);
	CHECK_HAS(world.text, "F IS Card 0000:3b:00 has 0 active ports");
	world_fini(&world);
}

#define ETHERNET(name_, address, ports_) \
	{ \
		NIC(name_, address, "compute", ports_), .ethernet = true \
	}

static void
card_of_two_layers(void)
{
	/* A card with one Ethernet port is no peer of cards with two InfiniBand ports: all its
	 * ports are up. */
	struct world world;
	world_init(&world);
	QUIET(&world, 0, IB("m0", C0, "AA"), IB("m1", C1, "AA"), IB("m2", C2, "A"),
		ETHERNET("m3", C2, "A"));
	world_fini(&world);

	/* Cards of this kind are compared with each other. */
	world_init(&world);
	SCAN(&world, 0, IB("m0", C0, "A"), ETHERNET("m1", C0, "A"), IB("m2", C1, "A"),
		ETHERNET("m3", C1, "A"), IB("m4", C2, "A"), ETHERNET("m5", C2, "I"));
	CHECK_HAS(world.text, "F ES Card 0000:3b:00 has 0 active ports, expected 1 (peer mode)\n");
	world_fini(&world);
}

static void
card_explained(void)
{
	const struct nic stuck[] = {IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "I")};
	struct world world;
	world_init(&world);
	world.setting.explain = true;
	scan_at(&world, 0, stuck, 3);
	CHECK_HAS(world.text, "F IS Card 0000:3b:00");
	CHECK_STR(world.reason, "fewer active ports than its peers in the first scan");
	scan_at(&world, S, stuck, 3);
	CHECK_STR(world.text, "");
	CHECK_STR(world.reason,
		"fewer active ports than its peers, already reported; open until it has as many");
	world_fini(&world);
}

static void
card_at_once(void)
{
	struct world world;
	healthy_world(&world);
	world.setting.settle_ns = 0;
	SCAN(&world, 1, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "I"));
	CHECK_STR(world.text, "N IS Port m2 port 1: state INIT, phys_state LinkUp\n"
			      "F IS Card 0000:3b:00 has 0 active ports, expected 1 (peer mode)\n");
	world_fini(&world);
}

static void
card_covered(void)
{
	/* A card whose missing ports all have fatal events adds nothing; one with another missing
	 * port does. */
	static const struct {
		const char *ports;
		bool said;
		int active;
	} rows[] = {{"DD", false, 0}, {"DA", false, 1}, {"DI", true, 0}, {"IA", true, 1},
		{"PP", true, 0}, {"II", true, 0}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char expected[200] = "";
		struct world world;
		world_init(&world);
		check_row("%s", rows[i].ports);
		SCAN(&world, 0, IB("m0", C0, "AA"), IB("m1", C1, "AA"), IB("m2", C2, "AA"));
		const struct nic nics[] = {
			IB("m0", C0, "AA"), IB("m1", C1, "AA"), IB("m2", C2, rows[i].ports)};
		scan_at(&world, S, nics, 3);
		scan_at(&world, 31 * S, nics, 3);
		if (rows[i].said)
			snprintf(expected, sizeof expected,
				"F IS Card 0000:3b:00 has %d active ports, expected 2 (peer "
				"mode)\n",
				rows[i].active);
		CHECK_STR(world.text, expected);
		world_fini(&world);
	}
}

static void
card_covered_by_devices(void)
{
	/* One function of a card is gone: the card is below its peers, and the gone device has been
	 * reported. */
	struct world world;
	const struct nic before[] = {
		{.name = "a0", .pci = C0 ".0", .role = "compute", .ports = "A"},
		{.name = "a1", .pci = C0 ".1", .role = "compute", .ports = "A"},
		{.name = "b0", .pci = C1 ".0", .role = "compute", .ports = "A"},
		{.name = "b1", .pci = C1 ".1", .role = "compute", .ports = "A"},
		{.name = "c0", .pci = C2 ".0", .role = "compute", .ports = "A"},
		{.name = "c1", .pci = C2 ".1", .role = "compute", .ports = "A"}};
	world_init(&world);
	scan_at(&world, 0, before, 6);
	scan_at(&world, S, before, 5);
	CHECK_STR(world.text,
		"F IS NIC c1 disappeared from /sys/class/infiniband/ - hardware failure\n");
	scan_at(&world, 60 * S, before, 5);
	CHECK_STR(world.text, "");
	scan_at(&world, 120 * S, before, 5);
	CHECK_STR(world.text, "");
	scan_at(&world, 121 * S, before, 6);
	CHECK_STR(world.text, "H IS Device c1 re-enumerated in sysfs\n"
			      "H IS Port c1 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

/* --- counters --- */

static void
standing_breach(void)
{
	/* The port's healthy event takes back only that the port was down: the breach stands and is
	 * not repeated. */
	struct world world;
	healthy_world(&world);
	SCAN(&world, 1, WITH("m0", C0, "A", "{'link_downed':0}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	SCAN(&world, 2, WITH("m0", C0, "D", "{'link_downed':1}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	CHECK_STR(world.text, "F IS Port m0 port 1: state DOWN, phys_state Disabled\n"
			      "F IS Port m0 port 1: link_downed - Port Training State Machine "
			      "failed - QP disconnect (value=1, delta=1, rate=1.00/sec)\n");
	SCAN(&world, 3, WITH("m0", C0, "A", "{'link_downed':1}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	CHECK_STR(world.text, "H IS Port m0 port 1: healthy (ACTIVE, LinkUp)\n");
	SCAN(&world, 4, WITH("m0", C0, "A", "{'link_downed':0}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	CHECK_STR(world.text, "H IS Counter link_downed recovered on port m0 port 1\n");
	world_fini(&world);
}

static void
hidden_by_nothing(void)
{
	/* Under the degradation check a port's healthy event takes back no breach. */
	struct world world;
	healthy_world(&world);
	world.setting.fatal_counters_as_degradation = true;
	SCAN(&world, 1, WITH("m0", C0, "A", "{'link_downed':0}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	SCAN(&world, 2, WITH("m0", C0, "D", "{'link_downed':1}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	CHECK_HAS(world.text, "F ID Port m0 port 1: link_downed");
	SCAN(&world, 3, WITH("m0", C0, "A", "{'link_downed':1}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	CHECK_STR(world.text, "H IS Port m0 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

static void
saturated(void)
{
	/* symbol_error is reported for the file that symbol_error_fatal reads too. */
	struct world world;
	world_init(&world);
	QUIET(&world, 0, WITH("m0", C0, "A", "{'symbol_error':65535}"));
	SCAN(&world, 1, WITH("m0", C0, "A", "{'symbol_error':65535}"));
	CHECK_STR(world.text,
		"N ID Port m0 port 1: symbol_error is at its maximum of 65535 and can count no "
		"further until it is reset\n");
	QUIET(&world, 2, WITH("m0", C0, "A", "{'symbol_error':65535}"));
	SCAN(&world, 3, WITH("m0", C0, "A", "{'symbol_error':0}"));
	CHECK_STR(world.text, "H ID Counter symbol_error can count again on port m0 port 1\n");
	world_fini(&world);
}

static void
odd_values(void)
{
	/* The port then does not have that counter. */
	static const char *const rows[] = {
		"null", "true", "-1", "1.5", "'x'", "''", "[1]", "{}", "'18446744073709551616'"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char counters[60];
		struct world world;
		world_init(&world);
		check_row("%s", rows[i]);
		snprintf(counters, sizeof counters, "{'link_downed':%s}", rows[i]);
		SCAN(&world, 0, WITH("m0", C0, "A", "{'link_downed':3}"));
		QUIET(&world, 1, WITH("m0", C0, "A", counters));
		QUIET(&world, 2, WITH("m0", C0, "A", "{'link_downed':3}"));
		SCAN(&world, 3, WITH("m0", C0, "A", "{'link_downed':4}"));
		CHECK_HAS(world.text, "F IS Port m0 port 1: link_downed");
		world_fini(&world);
	}
}

/* --- devices that are not watched --- */

static void
virtual_functions(void)
{
	struct world world;
	world_init(&world);
	state_owe_baselines(&world.state, true);
	world.setting.clear_check = false;
	const struct nic vf = {.name = "v0",
		.pci = C0 ".2",
		.ports = "D",
		.vf = true,
		.counters = "{'link_downed':0}"};
	const struct nic vf_later = {.name = "v0",
		.pci = C0 ".2",
		.ports = "A",
		.vf = true,
		.counters = "{'link_downed':9}"};
	scan_at(&world, 0, &vf, 1);
	CHECK_STR(world.text, "");
	scan_at(&world, S, &vf_later, 1);
	CHECK_STR(world.text, "");
	scan_at(&world, 2 * S, NULL, 0);
	CHECK_STR(world.text, "");
	CHECK_STR(world.notes, "");
	/* Thousands of them come and go: none may stay in the state. */
	CHECK_INT((int64_t)world.state.ports.count, 0);
	CHECK_INT((int64_t)world.state.devices.count, 0);
	CHECK_INT((int64_t)world.state.cards.count, 0);
	world_fini(&world);
}

static void
leaves(void)
{
	/* Reports about a device that topoclass no longer marks as monitored are taken back,
	 * once. */
	struct world world;
	healthy_world(&world);
	SCAN(&world, 1, WITH("m0", C0, "A", "{'link_downed':0}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	SCAN(&world, 2, WITH("m0", C0, "D", "{'link_downed':1}"), IB("m1", C1, "A"),
		IB("m2", C2, "A"));
	const struct nic after[] = {{.name = "m0",
					    .pci = C0 ".0",
					    .role = "management",
					    .ports = "D",
					    .unmonitored = true},
		IB("m1", C1, "A"), IB("m2", C2, "A")};
	scan_at(&world, 3 * S, after, 3);
	CHECK_STR(world.text, "H IS Counter link_downed on m0 " LEFT "\n"
			      "H IS Port m0 port 1 is no longer monitored\n");
	scan_at(&world, 4 * S, after, 3);
	CHECK_STR(world.text, "");
	CHECK(state_find_port(&world.state, "m0", 1) == NULL);
	CHECK(state_find_device(&world.state, "m0") == NULL);
	/* Its disappearance is not reported either. */
	scan_at(&world, 5 * S, after + 1, 2);
	CHECK_STR(world.text, "");
	world_fini(&world);
}

static void
orphans(void)
{
	struct world world;
	world_init(&world);
	struct breach fatal = {.check = CHECK_IB_STATE, .fatal = true};
	struct breach grey = {.check = CHECK_ETH_DEGRADATION};
	state_add_orphan(&world.state, "m0", 1, "vendor_err", false, &fatal);
	state_add_orphan(&world.state, "m9", 2, "other_err", false, &grey);
	/* While verdicts wait, the orphaned breaches wait too. */
	QUIET(&world, 0, IB("m0", C0, "A"), DEAD("m1", C1));
	CHECK(world.state.orphans != NULL);
	SCAN(&world, 1, IB("m0", C0, "A"), IB("m1", C1, "A"));
	CHECK_STR(world.text, "H IS Counter vendor_err on m0 " LEFT "\n"
			      "H ED Counter other_err on m9 " LEFT "\n");
	CHECK(world.state.orphans == NULL);
	QUIET(&world, 2, IB("m0", C0, "A"), IB("m1", C1, "A"));
	world_fini(&world);
}

static void
checks_off(void)
{
	struct world world;
	healthy_world(&world);
	world.setting.enabled[CHECK_IB_STATE] = false;
	QUIET(&world, 1, WITH("m0", C0, "D", "{'link_downed':0,'symbol_error':0}"),
		IB("m1", C1, "A"));
	SCAN(&world, 100, WITH("m0", C0, "D", "{'link_downed':9,'symbol_error':9999}"),
		DEAD("m1", C1));
	CHECK_STR(world.text,
		"N ID Port m0 port 1: symbol_error - PHY bit errors before FEC - physical layer "
		"degradation (value=9999, delta=9999, rate=101.00/sec)\n"
		"N ID Port m0 port 1: flapping - the link went down 9 times, and never stayed up "
		"for an hour\n");
	world_fini(&world);
}

/* --- repeating the same scans --- */

/* Evaluate scan `index` of an eventful series; return false after the last one. */
static bool
play(struct world *world, int index)
{
	switch (index) {
	case 0:
		SCAN(world, 0, WITH("m0", C0, "A", "{'link_downed':0,'symbol_error':65535}"),
			IB("m1", C1, "A"), DEAD("m2", C2), ROCE("r0", "0000:4c:00", "A"));
		return true;
	case 1:
		SCAN(world, 1, WITH("m0", C0, "A", "{'link_downed':0,'symbol_error':65535}"),
			IB("m1", C1, "A"), IB("m2", C2, "I"), ROCE("r0", "0000:4c:00", "A"));
		return true;
	case 2:
		SCAN(world, 2, WITH("m0", C0, "A", "{'link_downed':1,'symbol_error':65535}"),
			IB("m1", C1, "D"), IB("m2", C2, "A"), ROCE("r0", "0000:4c:00", "D"));
		return true;
	case 3:
		SCAN(world, 3, WITH("m0", C0, "D", "{'link_downed':1,'symbol_error':65535}"),
			IB("m2", C2, "A"), ROCE("r0", "0000:4c:00", "D"));
		return true;
	case 4:
		world->torn = true;
		SCAN(world, 4, DEAD("m0", C0), ROCE("r0", "0000:4c:00", "A"));
		return true;
	case 5:
	case 6:
	case 7:
		SCAN(world, index, DEAD("m0", C0), IB("m1", C1, "P"), IB("m2", C2, "A"));
		return true;
	case 8:
		SCAN(world, 8, WITH("m0", C0, "A", "{'link_downed':0,'symbol_error':0}"),
			IB("m1", C1, "A"), IB("m2", C2, "A."), ROCE("r0", "0000:4c:00", "A"));
		return true;
	case 9:
		SCAN(world, 9, WITH("m0", C0, "AA", "{'link_downed':0,'symbol_error':0}"),
			IB("m1", C1, "AA"), IB("m2", C2, "AI"), ROCE("r0", "0000:4c:00", "A"));
		return true;
	case 10:
		SCAN(world, 45, WITH("m0", C0, "AA", "{'link_downed':0,'symbol_error':900}"),
			IB("m1", C1, "AA"), IB("m2", C2, "AI"), ROCE("r0", "0000:4c:00", "."));
		return true;
	case 11:
		world->boot_id = "b2";
		SCAN(world, 3, IB("m0", C0, "A"), IB("m1", C1, "A"));
		return true;
	}
	return false;
}

static char *
state_new(struct world *world, struct outbox *outbox)
{
	const struct statefile file = {
		.state = &world->state, .stream = &world->stream, .outbox = outbox};
	return statefile_encode_new(&file, &world->counters, "T", 0);
}

static void
deterministic(void)
{
	struct world a, b;
	struct outbox outbox;
	world_init(&a);
	world_init(&b);
	CHECK_INT(outbox_init(&outbox), 0);
	state_owe_baselines(&a.state, true);
	state_owe_baselines(&b.state, true);
	a.setting.baselines = b.setting.baselines = true;
	for (int i = 0; play(&a, i) && play(&b, i); i++) {
		char *first = state_new(&a, &outbox), *second = state_new(&b, &outbox);
		check_row("scan %d", i);
		CHECK_STR(b.text, a.text);
		CHECK_STR(b.notes, a.notes);
		CHECK(strcmp(first, second) == 0);
		CHECK_STR(b.stream.source, a.stream.source);
		CHECK_U64(b.stream.seq, a.stream.seq);
		free(first);
		free(second);
	}
	CHECK(a.stream.seq > 20);
	outbox_fini(&outbox);
	world_fini(&a);
	world_fini(&b);
}

static void
restarts_are_unseen(void)
{
	struct world through, restarted;
	world_init(&through);
	world_init(&restarted);
	state_owe_baselines(&through.state, true);
	state_owe_baselines(&restarted.state, true);
	through.setting.baselines = restarted.setting.baselines = true;
	for (int i = 0; play(&through, i) && play(&restarted, i); i++) {
		check_row("scan %d", i);
		CHECK_STR(restarted.text, through.text);
		CHECK_STR(restarted.notes, through.notes);
		CHECK_U64(restarted.stream.seq, through.stream.seq);
		restart(&restarted);
	}
	world_fini(&through);
	world_fini(&restarted);
}

static void
explaining_changes_nothing(void)
{
	struct world plain, explained;
	world_init(&plain);
	world_init(&explained);
	explained.setting.explain = true;
	for (int i = 0; play(&plain, i) && play(&explained, i); i++) {
		check_row("scan %d", i);
		CHECK_STR(explained.text, plain.text);
		CHECK_STR(explained.notes, plain.notes);
		CHECK_U64(explained.stream.seq, plain.stream.seq);
	}
	world_fini(&plain);
	world_fini(&explained);
}

static void
walls_are_placed(void)
{
	static const struct {
		uint64_t ago_ns, at_ns, placed_ns;
	} rows[] = {{5 * S, 100 * S, 95 * S}, {0, 100 * S, 100 * S}, {100 * S, 100 * S, 0},
		{1000 * S, 100 * S, 0}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		world_init(&world);
		world.setting.counter_detection = false;
		struct port_entry *port = state_find_or_add_port(&world.state, "m0", 1);
		port->counters[0] = (struct counter_memory){.seen = true,
			.wall = true,
			.snapshot = {7, 1700000000 * S + rows[i].at_ns - rows[i].ago_ns}};
		world.state.has_wall_snapshots = true;
		SCAN(&world, (double)rows[i].at_ns / (double)S, IB("m0", C0, "A"));
		check_row("%d s ago", (int)(rows[i].ago_ns / S));
		CHECK(!port->counters[0].wall && !world.state.has_wall_snapshots);
		CHECK_U64(port->counters[0].snapshot.boottime_ns, rows[i].placed_ns);
		world_fini(&world);
	}
}

#define EFA(name_, address, interface_) \
	{ \
		NIC(name_, address, "compute", "A"), .efa = (interface_) \
	}
#define NETDEV(operstate) "{'netdev':'ens6','operstate':" operstate "}"

/* A missing interface does not end the report that it was down. */
static void
efa_interface(void)
{
	struct world world;
	world_init(&world);
	world.setting.enabled[CHECK_EFA_STATE] = true;
	SCAN(&world, 0, EFA("rdmap1s0", "0000:01:00", NETDEV("'up'")),
		EFA("rdmap2s0", "0000:02:00", NETDEV("'up'")));
	SCAN(&world, 1, EFA("rdmap1s0", "0000:01:00", NETDEV("'down'")),
		EFA("rdmap2s0", "0000:02:00", NETDEV("'up'")));
	CHECK_STR(world.text, "F AS EFA port rdmap1s0 port 1: state DOWN, phys_state LinkDown, "
			      "operstate down (ens6)\n");
	QUIET(&world, 2, EFA("rdmap1s0", "0000:01:00", NETDEV("null")),
		EFA("rdmap2s0", "0000:02:00", NETDEV("null")));
	QUIET(&world, 3, EFA("rdmap1s0", "0000:01:00", "{'netdev':null}"),
		EFA("rdmap2s0", "0000:02:00", "{'netdev':null}"));
	SCAN(&world, 4, EFA("rdmap1s0", "0000:01:00", NETDEV("'up'")),
		EFA("rdmap2s0", "0000:02:00", NETDEV("'up'")));
	CHECK_STR(world.text, "H AS EFA port rdmap1s0 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

/* Nor does it end the hold of a port that was down: the report is due at its time. */
static void
efa_interface_while_held(void)
{
	struct world world;
	world_init(&world);
	world.setting.enabled[CHECK_EFA_STATE] = true;
	world.setting.hold_down_ns = 10 * S;
	SCAN(&world, 0, EFA("rdmap1s0", "0000:01:00", NETDEV("'up'")));
	QUIET(&world, 1, EFA("rdmap1s0", "0000:01:00", NETDEV("'down'")));
	QUIET(&world, 10, EFA("rdmap1s0", "0000:01:00", "{'netdev':null}"));
	SCAN(&world, 11, EFA("rdmap1s0", "0000:01:00", "{'netdev':null}"));
	CHECK_STR(world.text, "F AS EFA port rdmap1s0 port 1: state DOWN, phys_state LinkDown, "
			      "operstate unknown (no interface)\n");
	QUIET(&world, 12, EFA("rdmap1s0", "0000:01:00", "{'netdev':null}"));
	SCAN(&world, 13, EFA("rdmap1s0", "0000:01:00", NETDEV("'up'")));
	CHECK_STR(world.text, "H AS EFA port rdmap1s0 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

/* A counter of an Ethernet port that an EFA port does not have is taken back. */
static void
efa_before(void)
{
	struct world world;
	struct nic nic = {NIC("rdmap1s0", "0000:01:00", "compute", "A"),
		.counters = "{'symbol_error':65535}", .ethernet = true};
	world_init(&world);
	scan_at(&world, 0, &nic, 1);
	scan_at(&world, S, &nic, 1);
	CHECK_HAS(world.text, "N ED Port rdmap1s0 port 1: symbol_error is at its maximum");
	nic.efa = "{'netdev':null}";
	scan_at(&world, 2 * S, &nic, 1);
	scan_at(&world, 3 * S, &nic, 1);
	CHECK_HAS(world.text, "H ED Counter symbol_error on rdmap1s0 is no longer monitored");
	scan_at(&world, 4 * S, &nic, 1);
	CHECK_STR(world.text, "");
	world_fini(&world);
}

/* --- extra scans --- */

static void
extra_states(void)
{
	struct world world;
	healthy_world(&world);
	EXTRA(&world, 1.1, IB("m1", C1, "D"));
	CHECK_STR(world.text, "F IS Port m1 port 1: state DOWN, phys_state Disabled\n");
	/* The event is not repeated, and the card waits for a scan that has its peers. */
	EXTRA(&world, 1.2, IB("m1", C1, "D"));
	CHECK_STR(world.text, "");
	QUIET(&world, 2, IB("m0", C0, "A"), IB("m1", C1, "D"), IB("m2", C2, "A"));
	EXTRA(&world, 2.1, IB("m1", C1, "A"));
	CHECK_STR(world.text, "H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n");
	QUIET(&world, 3, IB("m0", C0, "A"), IB("m1", C1, "A"), IB("m2", C2, "A"));
	world_fini(&world);
}

static void
extra_is_no_scan(void)
{
	/* Devices that it lacks are not missing, an unreadable device is not counted, and counters
	 * are not evaluated. */
	struct world world;
	healthy_world(&world);
	for (int i = 0; i < 10; i++) {
		EXTRA(&world, 1 + i / 100.0,
			WITH("m1", C1, "A", "{'link_downed':7,'symbol_error':9999}"),
			DEAD("m2", C2));
		CHECK_STR(world.text, "");
		CHECK_STR(world.notes, "");
	}
	CHECK_U64(state_find_device(&world.state, "m0")->missing, 0);
	CHECK_U64(state_find_device(&world.state, "m2")->unreadable, 0);
	/* Here the counter is seen for the first time. */
	QUIET(&world, 2, IB("m0", C0, "A"), WITH("m1", C1, "A", "{'link_downed':7}"),
		IB("m2", C2, "A"));
	world_fini(&world);
}

static void
extra_flaps(void)
{
	/* The extra scan shows a link-down that the next scan's counter counts, too. */
	struct world world;
	healthy_world(&world);
	const struct nic counted[] = {IB("m0", C0, "A"), WITH("m1", C1, "A", "{'link_downed':0}"),
		WITH("m1", C1, "A", "{'link_downed':2}"), IB("m2", C2, "A")};
	QUIET(&world, 1, counted[0], counted[1], counted[3]);
	for (int i = 0; i < 2; i++) {
		EXTRA(&world, 1.1 + i / 10.0, IB("m1", C1, "D"));
		CHECK_STR(world.text, "F IS Port m1 port 1: state DOWN, phys_state Disabled\n");
		EXTRA(&world, 1.15 + i / 10.0, IB("m1", C1, "A"));
		CHECK_STR(world.text, "H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n");
	}
	SCAN(&world, 2, counted[0], counted[2], counted[3]);
	CHECK_STR(world.text,
		"F IS Port m1 port 1: link_downed - Port Training State Machine failed - QP "
		"disconnect (value=2, delta=2, rate=2.00/sec)\n");
	EXTRA(&world, 2.1, IB("m1", C1, "D"));
	CHECK_STR(world.text,
		"F IS Port m1 port 1: state DOWN, phys_state Disabled\n"
		"N ID Port m1 port 1: flapping - the link went down 3 times, and never stayed up "
		"for an hour\n");
	world_fini(&world);
}

static void
extra_of_others(void)
{
	/* A port that no scan has shown yet, another device of the same name, another link layer,
	 * an unmonitored port, a virtual function, and any port before the first verdicts. */
	static const struct nic nics[] = {IB("m3", C0, "D"), IB("m1", C2, "D"), ROCE("m1", C1, "D"),
		{NIC("m1", C1, "management", "D"), .unmonitored = true},
		{NIC("m1", C1, "compute", "D"), .vf = true}, IB("m1", C1, ".D"),
		{.name = "m1", .role = "compute", .ports = "D"}};
	struct world world;
	healthy_world(&world);
	for (size_t i = 0; i < CHECK_COUNT(nics); i++) {
		check_row("NIC %zu", i);
		world.extra = true;
		scan_at(&world, S + i, &nics[i], 1);
		CHECK_STR(world.text, "");
	}
	check_row(" ");
	world.boot_id = "b2";
	EXTRA(&world, 1.5, IB("m1", C1, "D"));
	CHECK_STR(world.text, "");
	world.boot_id = "b1";
	EXTRA(&world, 1.6, IB("m1", C1, "D"));
	CHECK_STR(world.text, "F IS Port m1 port 1: state DOWN, phys_state Disabled\n");
	world_fini(&world);

	world_init(&world);
	EXTRA(&world, 1, IB("m1", C1, "A"));
	EXTRA(&world, 1.1, IB("m1", C1, "D"));
	CHECK_STR(world.text, "");
	world_fini(&world);
}

static void
extra_hold(void)
{
	struct world world;
	healthy_world(&world);
	world.setting.hold_down_ns = 10 * S;
	EXTRA(&world, 1.5, IB("m1", C1, "D"));
	CHECK_STR(world.text, "");
	EXTRA(&world, 2.25, IB("m1", C1, "A"));
	CHECK_STR(world.text, "N IS Port m1 port 1: was not healthy for 0.750 s, held back by "
			      "portStateHoldDown\n"
			      "H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n");
	EXTRA(&world, 3.5, IB("m1", C1, "D"));
	EXTRA(&world, 13.4, IB("m1", C1, "D"));
	CHECK_STR(world.text, "");
	EXTRA(&world, 13.5, IB("m1", C1, "D"));
	CHECK_STR(world.text, "F IS Port m1 port 1: state DOWN, phys_state Disabled\n");
	world_fini(&world);
}

#define IB_BUT(name_, address, ports_, error_) \
	{ \
		NIC(name_, address, "compute", ports_), .error = (error_) \
	}

static void
gone_and_unreadable(void)
{
	struct world world;
	world_init(&world);
	QUIET(&world, 0, IB("m0", C0, "A"), IB("m1", C1, "A"));
	SCAN(&world, 1, IB("m0", C0, "A"));
	CHECK_STR(world.text,
		"F IS NIC m1 disappeared from /sys/class/infiniband/ - hardware failure\n");
	QUIET(&world, 2, IB("m0", C0, "A"), IB_BUT("m1", C1, "A", "EIO"));
	QUIET(&world, 3, IB("m0", C0, "A"), IB_BUT("m1", C1, "D", "EIO"));
	SCAN(&world, 4, IB("m0", C0, "A"), IB("m1", C1, "A"));
	CHECK_STR(world.text, "H IS Device m1 re-enumerated in sysfs\n"
			      "H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

#define ON_THE_BUS "[{'pci':'" C0 ".0','driver':'mlx5_core'},{'pci':'" C1 ".0','driver':null}]"

/* A world in which m0 and m1 were healthy at 0 s, and m1 is missing at 10 s, but does not count as
 * gone yet. */
static void
reloading_world(struct world *world)
{
	world_init(world);
	world->setting.driver_reload_grace_ns = 60 * S;
	world->setting.confirm_scans = 3;
	world->functions = ON_THE_BUS;
	QUIET(world, 0, IB("m0", C0, "A"), IB("m1", C1, "A"));
	QUIET(world, 10, IB("m0", C0, "A"));
}

#define RATE(name_, address, rate) \
	{ \
		NIC(name_, address, "compute", "A"), .rate_gbps = (rate) \
	}
#define RATES RATE("m0", C0, 400), RATE("m1", C1, 400)

static void
rate_without_peers(void)
{
	static const struct {
		struct nic nic;
		bool torn;
		const char *text;
	} rows[] = {
		{{NIC("m2", C2, "compute", "A"), .rate_gbps = 400}, false,
			"H ID Port m2 port 1: rate 400 Gb/s, as its peers\n"},
		{{NIC("m2", C2, NULL, "A"), .rate_gbps = 400}, false,
			"H ID Rate is no longer monitored on port m2 port 1\n"},
		{{NIC("m2", C2, "fabric", "A"), .rate_gbps = 200}, false,
			"H ID Rate is no longer monitored on port m2 port 1\n"},
		{{NIC("m2", C2, NULL, "A"), .rate_gbps = 400}, true, ""},
		{{NIC("m2", C2, NULL, "A"), .rate_gbps = 400, .error = "EIO"}, false, ""},
		{{NIC("m2", C2, "compute", "A"), .rate_gbps = 200, .ethernet = true}, false,
			"H ID Rate is no longer monitored on port m2 port 1\n"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		check_row("row %zu", i);
		world_init(&world);
		SCAN(&world, 0, RATES, RATE("m2", C2, 200));
		CHECK_STR(world.text, "N ID Port m2 port 1: rate 200 Gb/s, peers 400 Gb/s\n");
		world.torn = rows[i].torn;
		SCAN(&world, 1, RATES, rows[i].nic);
		CHECK_STR(world.text, rows[i].text);
		/* Only once. */
		world.torn = rows[i].torn;
		QUIET(&world, 2, RATES, rows[i].nic);
		SCAN(&world, 3, RATES, RATE("m2", C2, 400));
		CHECK_STR(world.text, *rows[i].text == '\0'
					      ? "H ID Port m2 port 1: rate 400 Gb/s, as its peers\n"
					      : "");
		world_fini(&world);
	}
	check_row(" ");
}

#define OF_OTHER_LAYER(name_, address, rate, counters_) \
	{ \
		NIC(name_, address, "compute", "A"), .ethernet = true, .rate_gbps = (rate), \
						     .counters = (counters_) \
	}

static void
rate_of_other_layer(void)
{
	/* A saturated counter keeps the port under its old link layer. */
	static const char full[] = "{'symbol_error':65535}";
	struct world world;
	world_init(&world);
	for (int second = 0; second < 50; second++) {
		struct nic nic = OF_OTHER_LAYER("m0", C0, 200, full);
		nic.ethernet = second > 1;
		SCAN(&world, second, nic, OF_OTHER_LAYER("r0", C1, 400, NULL),
			OF_OTHER_LAYER("r1", C2, 400, NULL));
		CHECK(second != 1 || strncmp(world.text, "N ID", 4) == 0);
		CHECK(second == 1 || *world.text == '\0');
	}
	world_fini(&world);
}

static void
reload_and_unreadable(void)
{
	struct world world;
	reloading_world(&world);
	/* It is there again, but not known to be back. */
	QUIET(&world, 11, IB("m0", C0, "A"), IB_BUT("m1", C1, "D", "EIO"));
	EXTRA(&world, 11.5, IB("m1", C1, "D"));
	CHECK_STR(world.text, "");
	restart(&world);
	world.torn = true;
	QUIET(&world, 12, IB("m0", C0, "A"), IB("m1", C1, "D"));
	/* That it is missing again does not restart the time. */
	QUIET(&world, 13, IB("m0", C0, "A"));
	QUIET(&world, 14, IB("m0", C0, "A"), IB_BUT("m1", C1, "D", "EIO"));
	QUIET(&world, 69.9, IB("m0", C0, "A"), IB_BUT("m1", C1, "D", "EIO"));
	SCAN(&world, 70, IB("m0", C0, "A"), IB_BUT("m1", C1, "D", "EIO"));
	CHECK_STR(world.text, "N IS NIC m1 cannot be read (EIO)\n"
			      "F IS Port m1 port 1: state DOWN, phys_state Disabled\n");
	world_fini(&world);
}

static void
reload_and_renamed(void)
{
	struct world world;
	reloading_world(&world);
	QUIET(&world, 11, IB("m0", C0, "A"));
	SCAN(&world, 12, IB("m0", C0, "A"));
	CHECK_STR(world.text, "N IS NIC m1 disappeared from /sys/class/infiniband/, its PCI "
			      "function " C1 ".0 is on the bus without a driver\n");
	/* Another NIC has its name. This does not restart the time. */
	SCAN(&world, 40, IB("m0", C0, "A"), IB("m1", C2, "A"));
	CHECK_STR(world.text, "H IS NIC m1 is no longer monitored\n"
			      "N IS NIC " C1 ".0 disappeared from /sys/class/infiniband/, its PCI "
			      "function " C1 ".0 is on the bus without a driver\n");
	QUIET(&world, 69, IB("m0", C0, "A"), IB("m1", C2, "A"));
	SCAN(&world, 70, IB("m0", C0, "A"), IB("m1", C2, "A"));
	CHECK_STR(world.text, "F IS NIC " C1 ".0 disappeared from /sys/class/infiniband/ - "
			      "hardware failure\n");
	world_fini(&world);
}

static void
lost_and_renamed(void)
{
	struct world world;
	reloading_world(&world);
	SCAN(&world, 70, IB("m0", C0, "A"));
	SCAN(&world, 71, IB("m0", C0, "A"));
	CHECK_HAS(world.text, "F IS NIC m1 disappeared");
	/* Another NIC has its name. */
	SCAN(&world, 80, IB("m0", C0, "A"), IB("m1", C2, "A"));
	CHECK_STR(world.text, "H IS NIC m1 is no longer monitored\n"
			      "F IS NIC " C1 ".0 disappeared from /sys/class/infiniband/ - "
			      "hardware failure\n");
	QUIET(&world, 81, IB("m0", C0, "A"), IB("m1", C2, "A"));
	SCAN(&world, 82, IB("m0", C0, "A"), IB("m1", C2, "A"), IB("m2", C1, "A"));
	CHECK_STR(world.text, "H IS NIC " C1 ".0 is no longer monitored\n"
			      "H IS Port m2 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

static void
reload_renamed_and_unreadable(void)
{
	struct world world;
	reloading_world(&world);
	QUIET(&world, 11, IB("m0", C0, "A"), IB_BUT("ib1", C1, "D", "EIO"));
	SCAN(&world, 12, IB("m0", C0, "A"), IB("ib1", C1, "D"));
	CHECK_STR(world.text, "N IS NIC ib1 disappeared from /sys/class/infiniband/ and is back "
			      "without a healthy port\n");
	SCAN(&world, 70, IB("m0", C0, "A"), IB("ib1", C1, "D"));
	CHECK_STR(world.text, "F IS NIC ib1 disappeared from /sys/class/infiniband/ and is back "
			      "without a healthy port\n");
	world_fini(&world);
}

static void
reload_too_long(void)
{
	struct world world;
	reloading_world(&world);
	SCAN(&world, 70, IB("m0", C0, "A"), IB("m1", C1, "D"));
	CHECK_STR(world.text, "F IS Port m1 port 1: state DOWN, phys_state Disabled\n");
	world_fini(&world);
}

static void
reload_without_port(void)
{
	struct world world;
	reloading_world(&world);
	SCAN(&world, 11, IB("m0", C0, "A"), IB("m1", C1, ""));
	CHECK_STR(world.text, "N IS NIC m1 disappeared from /sys/class/infiniband/ and is back "
			      "without a healthy port\n");
	QUIET(&world, 12, IB("m0", C0, "A"), IB("m1", C1, ""));
	QUIET(&world, 69, IB("m0", C0, "A"), IB("m1", C1, ""));
	SCAN(&world, 70, IB("m0", C0, "A"), IB("m1", C1, ""));
	CHECK_STR(world.text, "F IS NIC m1 disappeared from /sys/class/infiniband/ and is back "
			      "without a healthy port\n");
	SCAN(&world, 71, IB("m0", C0, "A"), IB("m1", C1, "A"));
	CHECK_STR(world.text, "H IS Device m1 re-enumerated in sysfs\n"
			      "H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
	/* It has another name. */
	reloading_world(&world);
	world.setting.confirm_scans = 1;
	SCAN(&world, 11, IB("m0", C0, "A"), IB("ib1", C1, ""));
	CHECK_STR(world.text, "N IS NIC ib1 disappeared from /sys/class/infiniband/ and is back "
			      "without a healthy port\n");
	world_fini(&world);
}

static void
reload_with_a_short_settle_time(void)
{
	/* The card is below its peers for settleSeconds before its device counts as gone. */
	struct world world;
	world_init(&world);
	world.setting.driver_reload_grace_ns = 60 * S;
	world.setting.confirm_scans = 3;
	world.setting.settle_ns = 5 * S;
	world.functions = ON_THE_BUS;
	const struct nic nics[] = {IB("m0", C0, "AA"), IB("m2", C2, "AA"),
		{.name = "m3", .pci = C1 ".1", .role = "compute", .ports = "A"}, IB("m1", C1, "A")};
	scan_at(&world, 0, nics, 4);
	for (uint64_t second = 10; second <= 30; second += 10) {
		CHECK_STR(world.text, "");
		scan_at(&world, second * S, nics, 3);
	}
	CHECK_STR(world.text, "N IS NIC m1 disappeared from /sys/class/infiniband/, its PCI "
			      "function " C1 ".0 is on the bus without a driver\n");
	scan_at(&world, 50 * S, nics, 3);
	CHECK_STR(world.text, "");
	world_fini(&world);
}

static void
reload_without_a_second_port(void)
{
	/* The device is back by its first port; a port that it still lacks is then gone. */
	struct world world;
	world_init(&world);
	world.setting.driver_reload_grace_ns = 60 * S;
	world.setting.confirm_scans = 2;
	world.functions = ON_THE_BUS;
	QUIET(&world, 0, IB("m0", C0, "A"), IB("m1", C1, "AA"));
	QUIET(&world, 1, IB("m0", C0, "A"));
	SCAN(&world, 2, IB("m0", C0, "A"), IB("m1", C1, "D"));
	CHECK_HAS(world.text, "N IS NIC m1 disappeared from /sys/class/infiniband/");
	QUIET(&world, 3, IB("m0", C0, "A"), IB("m1", C1, "D"));
	QUIET(&world, 4, IB("m0", C0, "A"), IB("m1", C1, "D"));
	SCAN(&world, 5, IB("m0", C0, "A"), IB("m1", C1, "A"));
	CHECK_STR(world.text, "H IS Device m1 re-enumerated in sysfs\n"
			      "H IS Port m1 port 1: healthy (ACTIVE, LinkUp)\n");
	QUIET(&world, 6, IB("m0", C0, "A"), IB("m1", C1, "A"));
	SCAN(&world, 7, IB("m0", C0, "A"), IB("m1", C1, "A"));
	CHECK_STR(world.text, "F IS Port m1 port 2 disappeared from sysfs\n");
	world_fini(&world);
}

static void
reload_off_the_bus(void)
{
	/* Nothing says that its function stayed on the bus. */
	struct world world;
	reloading_world(&world);
	world.functions = NULL;
	QUIET(&world, 11, IB("m0", C0, "A"));
	world.functions = ON_THE_BUS;
	SCAN(&world, 12, IB("m0", C0, "A"), IB("m1", C1, "D"));
	CHECK_STR(world.text, "F IS Port m1 port 1: state DOWN, phys_state Disabled\n");
	world_fini(&world);
}

static void
extra_of_the_gone(void)
{
	/* A port that comes up for a moment after a driver reload. */
	static const struct {
		const char *functions, *gone;
	} rows[] = {
		{"[{'pci':'" C0 ".0','driver':'mlx5_core'},{'pci':'" C1
		 ".0','driver':'mlx5_core'}]",
			"N ES RoCE device r1 disappeared from sysfs, its PCI function " C1
			".0 is on the bus\n"},
		{NULL, "F ES RoCE device r1 disappeared from sysfs\n"},
	};
	struct world world;
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].gone);
		world_init(&world);
		world.setting.driver_reload_grace_ns = 60 * S;
		world.functions = rows[i].functions;
		QUIET(&world, 0, ROCE("r0", C0, "A"), ROCE("r1", C1, "A"));
		SCAN(&world, 1, ROCE("r0", C0, "A"));
		CHECK_STR(world.text, rows[i].gone);
		QUIET(&world, 2, ROCE("r0", C0, "A"), ROCE("r1", C1, "D"));
		EXTRA(&world, 2.4, ROCE("r1", C1, "A"));
		CHECK_STR(world.text, "");
		restart(&world);
		EXTRA(&world, 2.5, ROCE("r1", C1, "D"));
		CHECK_STR(world.text, "");
		QUIET(&world, 3, ROCE("r0", C0, "A"), ROCE("r1", C1, "D"));
		SCAN(&world, 4, ROCE("r0", C0, "A"), ROCE("r1", C1, "A"));
		CHECK_STR(world.text, "H ES Device r1 re-enumerated in sysfs\n"
				      "H ES RoCE port r1 port 1: healthy (ACTIVE, LinkUp)\n");
		EXTRA(&world, 4.4, ROCE("r1", C1, "D"));
		CHECK_HAS(world.text, "F ES RoCE port r1 port 1: state DOWN");
		world_fini(&world);
	}
	check_row(" ");
}

/* --- links that go down between two scans --- */

/* Accept an event of ibevent about a port. */
static void
tell_event(
	struct world *world, const char *device, const char *via, const char *event, uint64_t at_ms)
{
	const struct asyncrec record = {.device = device,
		.port = 1,
		.via = via,
		.event = event,
		.count = 1,
		.boottime_ns = at_ms * NUM_NS_PER_MS};
	eval_async(&world->state, &record);
}

/* A world with a RoCE port r0 and an InfiniBand port m0 that were healthy at 0 s. */
static void
two_links(struct world *world)
{
	world_init(world);
	QUIET(world, 0, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
}

static void
port_flap(void)
{
	struct world world;
	two_links(&world);
	tell_event(&world, "r0", "link", "LINK_DOWN", 300);
	/* Another source reports the same and does not count. */
	tell_event(&world, "r0", "verbs", "PORT_ERR", 302);
	tell_event(&world, "r0", "link", "LINK_UP", 500);
	tell_event(&world, "r0", "verbs", "PORT_ACTIVE", 503);
	tell_event(&world, "m0", "verbs", "PORT_ERR", 600);
	tell_event(&world, "m0", "verbs", "PORT_ACTIVE", 601);
	SCAN(&world, 1, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text,
		"N ID Port m0 port 1: the link went down 1 time between two scans, for 0.001 s\n"
		"H ID Port m0 port 1: healthy (ACTIVE, LinkUp)\n"
		"N ED RoCE port r0 port 1: the link went down 1 time between two scans, for 0.200 "
		"s\n"
		"H ED RoCE port r0 port 1: healthy (ACTIVE, LinkUp)\n");
	/* Only once. */
	QUIET(&world, 2, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	for (unsigned i = 0; i < 3; i++) {
		tell_event(&world, "r0", "link", "LINK_DOWN", 2100 + 100 * i);
		tell_event(&world, "r0", "link", "LINK_UP", 2150 + 100 * i);
	}
	SCAN(&world, 3, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text,
		"N ED RoCE port r0 port 1: the link went down 3 times between two scans, for 0.150 "
		"s\n"
		"H ED RoCE port r0 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

static void
port_flap_is_late(void)
{
	/* The event that the link is up comes after the scan that shows it up. */
	struct world world;
	two_links(&world);
	tell_event(&world, "r0", "link", "LINK_DOWN", 900);
	QUIET(&world, 1, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	tell_event(&world, "r0", "link", "LINK_UP", 1050);
	SCAN(&world, 2, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text, "N ED RoCE port r0 port 1: the link went down 1 time between two "
			      "scans, for 0.150 s\n"
			      "H ED RoCE port r0 port 1: healthy (ACTIVE, LinkUp)\n");
	world_fini(&world);
}

static void
port_flap_is_told(void)
{
	struct world world;

	/* A scan, extra or not, has shown it. */
	for (int extra = 0; extra <= 1; extra++) {
		check_row("extra %d", extra);
		two_links(&world);
		tell_event(&world, "r0", "link", "LINK_DOWN", 900);
		world.extra = extra == 1;
		SCAN(&world, 1, IB("m0", C0, "A"), ROCE("r0", C1, "D"));
		CHECK_STR(world.text, "F ES RoCE port r0 port 1: state DOWN, phys_state Disabled, "
				      "operstate unknown (no interface)\n");
		tell_event(&world, "r0", "link", "LINK_UP", 1050);
		SCAN(&world, 2, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
		CHECK_STR(world.text, "H ES RoCE port r0 port 1: healthy (ACTIVE, LinkUp)\n");
		QUIET(&world, 3, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
		world_fini(&world);
	}
	check_row(" ");

	/* A counter reports it for the port. */
	two_links(&world);
	QUIET(&world, 0.5, WITH("m0", C0, "A", "{'link_downed':0}"), ROCE("r0", C1, "A"));
	tell_event(&world, "m0", "verbs", "PORT_ERR", 600);
	tell_event(&world, "m0", "verbs", "PORT_ACTIVE", 800);
	SCAN(&world, 1, WITH("m0", C0, "A", "{'link_downed':1}"), ROCE("r0", C1, "A"));
	CHECK(strstr(world.text, "link_downed") != NULL);
	CHECK(strstr(world.text, "between two scans") == NULL);
	world_fini(&world);
}

#define R0_FLAPPED(seconds) \
	"N ED RoCE port r0 port 1: the link went down 1 time between two scans, for " seconds \
	" s\n" \
	"H ED RoCE port r0 port 1: healthy (ACTIVE, LinkUp)\n"

#define ROCE_WITH(counters_) \
	{ \
		NIC("r0", C1, "storage", "A"), .ethernet = true, .counters = (counters_) \
	}

/* Report one link-down of r0 between two scans, and scan with so many carrier changes. */
#define FLAP_AND_SCAN(world, at_s, counters_) \
	do { \
		tell_event(world, "r0", "link", "LINK_DOWN", (at_s)*1000 - 500); \
		tell_event(world, "r0", "link", "LINK_UP", (at_s)*1000 - 300); \
		SCAN(world, at_s, ROCE_WITH(counters_)); \
	} while (0)

static void
port_flap_after_a_breach(void)
{
	/* The breach that reports a link-down stands until the boot, and later ones are new. */
	static const struct {
		bool fatal;
		const char *said;
	} rows[] = {{false, R0_FLAPPED("0.200")}, {true, ""}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		check_row("fatal %d", rows[i].fatal);
		world_init(&world);
		counter_list_find(&world.counters, "carrier_changes")->fatal = rows[i].fatal;
		FLAP_AND_SCAN(&world, 1, "{'carrier_changes':0}");
		FLAP_AND_SCAN(&world, 2, "{'carrier_changes':4}");
		CHECK_HAS(world.text, "carrier_changes - Link instability");
		CHECK(strstr(world.text, "between two scans") == NULL);
		FLAP_AND_SCAN(&world, 3, "{'carrier_changes':4}");
		CHECK_STR(world.text, rows[i].said);
		world_fini(&world);
	}
	check_row(" ");

	/* The breach reports a link-down, too, whose end comes only later. */
	struct world world;
	world_init(&world);
	FLAP_AND_SCAN(&world, 1, "{'carrier_changes':0}");
	tell_event(&world, "r0", "link", "LINK_DOWN", 1900);
	SCAN(&world, 2, ROCE_WITH("{'carrier_changes':3}"));
	CHECK_HAS(world.text, "carrier_changes - Link instability");
	tell_event(&world, "r0", "link", "LINK_UP", 2050);
	QUIET(&world, 3, ROCE_WITH("{'carrier_changes':4}"));
	world_fini(&world);
}

static void
port_flap_of_the_gone(void)
{
	/* A driver that is unloaded takes the link down first. */
	struct world world;
	two_links(&world);
	world.setting.confirm_scans = 2;
	tell_event(&world, "r0", "link", "LINK_DOWN", 900);
	QUIET(&world, 1, IB("m0", C0, "A"));
	SCAN(&world, 2, IB("m0", C0, "A"));
	CHECK_STR(world.text, "F ES RoCE device r0 disappeared from sysfs\n");
	tell_event(&world, "r0", "link", "LINK_UP", 3900);
	SCAN(&world, 4, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text, "H ES Device r0 re-enumerated in sysfs\n"
			      "H ES RoCE port r0 port 1: healthy (ACTIVE, LinkUp)\n");
	QUIET(&world, 6, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	/* Loaded again before the next scan. */
	tell_event(&world, "r0", "link", "LINK_DOWN", 6900);
	QUIET(&world, 7, IB("m0", C0, "A"));
	tell_event(&world, "r0", "link", "LINK_UP", 7900);
	QUIET(&world, 8, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	/* Its port alone. */
	tell_event(&world, "r0", "link", "LINK_DOWN", 8900);
	QUIET(&world, 9, IB("m0", C0, "A"), ROCE("r0", C1, "."));
	QUIET(&world, 11, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	/* A scan that could not list the devices does not show it. */
	tell_event(&world, "r0", "link", "LINK_DOWN", 11900);
	world.unlisted = true;
	scan_at(&world, 12 * S, NULL, 0);
	CHECK_STR(world.text, "");
	tell_event(&world, "r0", "link", "LINK_UP", 12100);
	SCAN(&world, 13, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text, R0_FLAPPED("0.200"));
	world_fini(&world);
}

static void
port_flap_of_nothing(void)
{
	/* An IPoIB interface, an event about no link, a port that no scan has shown, and a check
	 * that is off. */
	struct world world;
	two_links(&world);
	tell_event(&world, "m0", "link", "LINK_DOWN", 100);
	tell_event(&world, "m0", "link", "LINK_UP", 200);
	tell_event(&world, "r0", "verbs", "GID_CHANGE", 100);
	tell_event(&world, "r9", "link", "LINK_DOWN", 100);
	tell_event(&world, NULL, "link", "LINK_DOWN", 100);
	QUIET(&world, 1, IB("m0", C0, "A"), ROCE("r0", C1, "A"), ROCE("r9", C2, "A"));
	tell_event(&world, "r9", "link", "LINK_UP", 1100);
	QUIET(&world, 2, IB("m0", C0, "A"), ROCE("r0", C1, "A"), ROCE("r9", C2, "A"));
	world.setting.enabled[CHECK_ETH_DEGRADATION] = false;
	tell_event(&world, "r9", "link", "LINK_DOWN", 2100);
	tell_event(&world, "r9", "link", "LINK_UP", 2200);
	QUIET(&world, 3, IB("m0", C0, "A"), ROCE("r0", C1, "A"), ROCE("r9", C2, "A"));
	world_fini(&world);
}

static void
port_flap_without_its_end(void)
{
	/* The up event is lost. A scan shows the link up, but only one that is certainly later
	 * counts. */
	struct world world;
	two_links(&world);
	tell_event(&world, "r0", "link", "LINK_DOWN", 500);
	QUIET(&world, 1.5, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	SCAN(&world, 2, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text, R0_FLAPPED("1.500"));
	QUIET(&world, 3, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	/* It is not added to the next one. */
	tell_event(&world, "r0", "link", "LINK_DOWN", 7200000);
	tell_event(&world, "r0", "link", "LINK_UP", 7200200);
	SCAN(&world, 7201, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text, R0_FLAPPED("0.200"));
	world_fini(&world);
}

static void
port_flap_of_one_source(void)
{
	/* An event that is not about a link does not choose the source that counts. */
	struct world world;
	two_links(&world);
	tell_event(&world, "r0", "verbs", "GID_CHANGE", 100);
	tell_event(&world, "m0", "link", "LINK_DOWN", 100);
	tell_event(&world, "r0", "link", "LINK_DOWN", 300);
	tell_event(&world, "r0", "link", "LINK_UP", 500);
	tell_event(&world, "m0", "verbs", "PORT_ERR", 600);
	tell_event(&world, "m0", "verbs", "PORT_ACTIVE", 601);
	SCAN(&world, 1, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text,
		"N ID Port m0 port 1: the link went down 1 time between two scans, for 0.001 s\n"
		"H ID Port m0 port 1: healthy (ACTIVE, LinkUp)\n" R0_FLAPPED("0.200"));
	/* Another source counts for r0 once the first one is silent. */
	tell_event(&world, "r0", "verbs", "PORT_ERR", 60500);
	tell_event(&world, "r0", "verbs", "PORT_ACTIVE", 60500);
	QUIET(&world, 61, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	tell_event(&world, "r0", "verbs", "PORT_ERR", 61100);
	tell_event(&world, "r0", "link", "LINK_DOWN", 61101);
	tell_event(&world, "r0", "verbs", "PORT_ACTIVE", 61400);
	tell_event(&world, "r0", "link", "LINK_UP", 61405);
	SCAN(&world, 62, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text, R0_FLAPPED("0.300"));
	world_fini(&world);
}

/* --- errors of devices --- */

/* Accept an event of ibevent about a device, or with `pci` about its function. */
static void
tell_error(
	struct world *world, const char *device, const char *pci, const char *event, int64_t count)
{
	const struct asyncrec record = {
		.device = device, .pci = pci, .via = "verbs", .event = event, .count = count};
	eval_async(&world->state, &record);
}

static void
device_errors(void)
{
	struct world world;
	two_links(&world);
	tell_error(&world, "m0", NULL, "DEVICE_FATAL", 1);
	tell_error(&world, "r0", NULL, "QP_FATAL", 3);
	tell_error(&world, NULL, C1 ".0", "PCI_FAILED_RECOVERY", 1);
	SCAN(&world, 1, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text,
		"N ID NIC m0: the driver reported a fatal error (DEVICE_FATAL), 1 time\n"
		"H ID NIC m0 is there and can be read\n"
		"N ED NIC r0: the kernel could not recover its PCI function "
		"(PCI_FAILED_RECOVERY), 1 time\n"
		"H ED NIC r0 is there and can be read\n"
		"N ED NIC r0: a queue pair failed (QP_FATAL), 3 times\n"
		"H ED NIC r0 is there and can be read\n");
	/* A continuing error is reported once a minute, each kind separately. */
	tell_error(&world, "r0", NULL, "QP_FATAL", 1);
	tell_error(&world, "r0", NULL, "CQ_ERR", 1);
	SCAN(&world, 2, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text, "N ED NIC r0: a completion queue failed (CQ_ERR), 1 time\n"
			      "H ED NIC r0 is there and can be read\n");
	tell_error(&world, "r0", NULL, "QP_FATAL", 4);
	QUIET(&world, 60.9, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	SCAN(&world, 61, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	CHECK_STR(world.text, "N ED NIC r0: a queue pair failed (QP_FATAL), 5 times\n"
			      "H ED NIC r0 is there and can be read\n");
	QUIET(&world, 200, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	world_fini(&world);
}

static void
device_errors_of_nothing(void)
{
	struct world world;
	two_links(&world);
	tell_error(&world, "m9", NULL, "DEVICE_FATAL", 1);
	tell_error(&world, NULL, C2 ".0", "PCI_FAILED_RECOVERY", 1);
	tell_error(&world, NULL, NULL, "PCI_FAILED_RECOVERY", 1);
	tell_error(&world, "m0", NULL, "PCI_SUCCESSFUL_RECOVERY", 1);
	tell_error(&world, "m0", NULL, "QP_ACCESS_ERR", 1);
	/* Removed in good order. */
	eval_async(&world.state, &(struct asyncrec){.device = "m0",
					 .via = "verbs",
					 .event = "DEVICE_FATAL",
					 .count = 1,
					 .removed = true});
	QUIET(&world, 1, IB("m0", C0, "A"), ROCE("r0", C1, "A"));
	world_fini(&world);
}

static void
device_errors_of_the_gone(void)
{
	/* A device that is gone is fatal for that reason. One that cannot be read waits until it
	 * can be. */
	struct world world;
	two_links(&world);
	tell_error(&world, "m0", NULL, "DEVICE_FATAL", 1);
	tell_error(&world, "r0", NULL, "DEVICE_FATAL", 1);
	SCAN(&world, 1, {NIC("r0", C1, "storage", ""), .error = "EIO", .ethernet = true});
	CHECK_STR(world.text, "F IS NIC m0 disappeared from /sys/class/infiniband/ - hardware "
			      "failure\n");
	SCAN(&world, 2, ROCE("r0", C1, "A"));
	CHECK_STR(world.text,
		"N ED NIC r0: the driver reported a fatal error (DEVICE_FATAL), 1 time\n"
		"H ED NIC r0 is there and can be read\n");
	world_fini(&world);
}

/* --- operators' clears --- */

/* m0 with its ports in this scan, and their link_downed. */
#define DOWNED(ports_, count) WITH("m0", C0, ports_, "{'link_downed':" count "}")
#define BREACH(port, count, rate) \
	"F IS Port m0 port " port ": link_downed - Port Training State Machine failed - QP " \
	"disconnect (value=" count ", delta=1, rate=" rate "/sec)\n"
#define CLEARED_AT(port, count) \
	"H IS Counter link_downed cleared on port m0 port " port " at " count " by alice: " \
	"swapped\n"

/* Both ports of m0 are in breach at `at_s`. */
/* A world in which m0 has breached thresholds, and an operator's request to clear that. */
struct repaired {
	struct world world;
	struct silence request;
	struct silences file;
};

/* m0 breaches its thresholds at this second; at `asked_s`, an operator who has repaired it asks to
 * clear them, for `for_s` seconds. */
static void
repaired_init(struct repaired *repaired, int at_s, int asked_s, int for_s)
{
	struct world *world = &repaired->world;
	world_init(world);
	world->setting.confirm_scans = 10;
	QUIET(world, at_s - 1, DOWNED("AA", "0"));
	SCAN(world, at_s, DOWNED("AA", "1"));
	CHECK_STR(world->text, BREACH("1", "1", "1.00") BREACH("2", "1", "1.00"));

	char ts[CLOCK_STAMP_SIZE];
	uint64_t asked_ns = (UINT64_C(1700000000) + (uint64_t)asked_s) * S;
	clock_format(asked_ns, ts);
	repaired->request = (struct silence){.record = json_pack("{s:s}", "ts", ts),
		.clears = true,
		.id = "0123456789abcdef",
		.device = "m0",
		.until_ns = asked_ns + (uint64_t)for_s * S,
		.why = "swapped",
		.by = "alice"};
	repaired->file = (struct silences){.items = &repaired->request, .count = 1};
	world->setting.silences = &repaired->file;
}

static void
repaired_fini(struct repaired *repaired)
{
	silence_fini(&repaired->request);
	world_fini(&repaired->world);
}

static void
clear_waits(void)
{
	struct repaired repaired;
	struct world *world = &repaired.world;
	repaired_init(&repaired, 1, 2, 100);
	QUIET(world, 3, IB("m0", C0, "A."));
	CHECK_INT(world->state.cleared.count, 0);
	SCAN(world, 4, DOWNED("A.", "1"));
	CHECK_STR(world->text, CLEARED_AT("1", "1"));
	CHECK_INT(world->state.cleared.count, 0);
	/* A later fault is none that the operator has repaired. */
	SCAN(world, 5, DOWNED("A.", "2"));
	CHECK_STR(world->text, BREACH("1", "2", "1.00"));
	restart(world);
	SCAN(world, 6, DOWNED("AA", "2"));
	CHECK_STR(world->text, CLEARED_AT("2", "2"));
	CHECK_INT(world->state.cleared.count, 1);
	restart(world);
	QUIET(world, 7, DOWNED("AA", "2"));
	repaired_fini(&repaired);
}

static void
clear_expires(void)
{
	static const struct {
		const char *what;
		int at_s;
		const char *text;
	} rows[] = {{"just in time", 11, CLEARED_AT("1", "1") CLEARED_AT("2", "1")},
		{"too late", 12, ""}};

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct repaired repaired;
		struct world *world = &repaired.world;
		check_row("%s", rows[i].what);
		repaired_init(&repaired, 1, 2, 10);
		QUIET(world, 3, IB("m0", C0, "AA"));
		SCAN(world, rows[i].at_s, DOWNED("AA", "1"));
		CHECK_STR(world->text, rows[i].text);
		repaired_fini(&repaired);
	}
}

static void
clear_after_clock_was_set_back(void)
{
	struct repaired repaired;
	struct world *world = &repaired.world;
	repaired_init(&repaired, 1000, 2, 100);
	SCAN(world, 3, DOWNED("AA", "1"));
	CHECK_STR(world->text, CLEARED_AT("1", "1") CLEARED_AT("2", "1"));
	CHECK_INT(world->state.cleared.count, 1);
	repaired_fini(&repaired);
}

static const struct check_test tests[] = {
	{"a report about a counter that the port's new link layer lacks is taken back", efa_before},
	{"an EFA port that was down is healthy when an interface is up, not when there is none",
		efa_interface},
	{"a held EFA port whose interface vanishes is reported when its hold is due",
		efa_interface_while_held},
	{"a baseline reports check by check in order, and the verdicts of a check come last",
		baseline_order},
	{"a baseline leaves out clearing events and checks that are switched off",
		baseline_without},
	{"first verdicts and a baseline wait for a complete scan", waits_for_a_complete_scan},
	{"first verdicts wait for at most three scans, and growth meanwhile is not lost",
		waits_no_longer_than_three},
	{"a device that was unreadable then gets its baseline once it can be read", late_baseline},
	{"a torn scan does not complete the baseline of a device", late_baseline_of_whole_scan},
	{"a device that is listed after the baseline gets its own, unless its check was cleared",
		late_listed},
	{"a node without a device class gets no verdicts, however long that lasts",
		unlisted_is_no_first_scan},
	{"an unhealthy port is reported at first sight only with evidence", first_sight},
	{"a new boot id drops the whole state and owes a baseline if baselines are on",
		boot_in_mid_stream},
	{"an unknown boot id is not a new boot", unknown_boot},
	{"after a change of scope no device has disappeared, and reports stand", scope_change},
	{"reports about devices that a change of scope excludes are taken back", scope_excludes},
	{"a torn scan, or one without a list, is no evidence about devices that it lacks",
		torn_scan},
	{"a torn scan takes back no report about a device whose name another device has",
		torn_name},
	{"a torn scan ends no report about a card", torn_recovery},
	{"a device is gone after as many scans in a row as configured", confirm_scans},
	{"a device is back once one of its ports is healthy", device_back},
	{"a device that shares its PCI function with a remaining NIC has not disappeared",
		part_gone},
	{"devices that are gone are reported in natural order of their names", many_gone},
	{"a port that is gone is reported once, and recovers when it is healthy", port_gone},
	{"an unreadable device is reported after three scans and hides no other device",
		unreadable},
	{"a port whose state cannot be read keeps its last state", unreadable_state},
	{"a card whose functions are joined in a bond is not compared", bonded_card},
	{"a card with ports of two link layers is compared only with cards that have both",
		card_of_two_layers},
	{"a card stays exempt when the function that exempts it vanishes, also over restarts",
		exempt_function_vanishes},
	{"a card that may have the management NIC while no device carries the default route",
		default_route_is_gone},
	{"a card whose gone function is excluded is not reported", excluded_when_gone},
	{"a card is taken back when all its ports are up and its peers are no longer known",
		card_without_peers},
	{"a card is compared when a function of unknown role vanishes",
		unreadable_function_vanishes},
	{"a card below its peers is reported after the settle time, to the nanosecond",
		card_settles},
	{"scans in which a card is not compared restart its settle time", card_settles_again},
	{"a scan that lost lines or has no list does not restart a card's settle time",
		card_settles_through_gaps},
	{"events that follow from a port that a card lacks name the card's event as their cause",
		card_causes},
	{"the explanation says that a card was reported", card_explained},
	{"without a settle time a card is reported at once", card_at_once},
	{"a card is reported only if its ports' own events do not explain it", card_covered},
	{"a device that is gone explains its card's missing port", card_covered_by_devices},
	{"a standing breach is not repeated after its port's healthy event", standing_breach},
	{"a breach under the degradation check is not repeated", hidden_by_nothing},
	{"a counter saturated at first sight is reported once, until it can count again",
		saturated},
	{"a counter's value that is not a number counts as absent", odd_values},
	{"virtual functions give no events and are not kept in the state", virtual_functions},
	{"reports about a device that is no longer monitored are taken back, once", leaves},
	{"a breach of a counter that is no longer watched is taken back with the first verdicts",
		orphans},
	{"a check that is switched off gives no events", checks_off},
	{"the same scans give the same events and the same state", deterministic},
	{"a restart between any two scans changes no event", restarts_are_unseen},
	{"explaining changes no event", explaining_changes_nothing},
	{"an extra scan reports at once that a port has gone down or come up", extra_states},
	{"a device that an extra scan lacks is not missing, and its counters are not evaluated",
		extra_is_no_scan},
	{"a link-down seen by an extra scan is not reported again by the next scan's counter",
		extra_flaps},
	{"an extra scan reports nothing about a port that the scan before did not have",
		extra_of_others},
	{"a device that is gone has no events about its ports until it can be read in full",
		gone_and_unreadable},
	{"a rate that is no longer compared is taken back, once, by a scan that shows it",
		rate_without_peers},
	{"a rate is not compared while an event keeps the port under an old link layer",
		rate_of_other_layer},
	{"while a device that was missing cannot be read, driverReloadGrace covers its ports, too",
		reload_and_unreadable},
	{"driverReloadGrace goes on when another device has the missing one's name",
		reload_and_renamed},
	{"a device that is gone stays fatal when another device has its name", lost_and_renamed},
	{"driverReloadGrace goes on when a device that cannot be read yet has another name",
		reload_renamed_and_unreadable},
	{"driverReloadGrace counts from the first scan without the device", reload_too_long},
	{"a device that is back without its port is covered by driverReloadGrace, and fatal after "
	 "it",
		reload_without_port},
	{"a device that is missing explains its card's missing port before it counts as gone",
		reload_with_a_short_settle_time},
	{"a port that a device lacks when it is back is reported as gone",
		reload_without_a_second_port},
	{"driverReloadGrace does not cover a device whose function may have left the bus",
		reload_off_the_bus},
	{"an extra scan reports nothing about the ports of a device that is gone until a scan has "
	 "it back",
		extra_of_the_gone},
	{"a hold begins and ends in an extra scan, too", extra_hold},
	{"a link that goes down and up between two scans is one event that is over", port_flap},
	{"the event of a short link-down waits until the link is reported up", port_flap_is_late},
	{"errors of a present device are events that are over, each kind once a minute",
		device_errors},
	{"errors of unknown devices and orderly removals give no events", device_errors_of_nothing},
	{"errors of a device that is gone are dropped, those of an unreadable one wait",
		device_errors_of_the_gone},
	{"a link-down that a scan or a counter reports is not reported as a short one",
		port_flap_is_told},
	{"a link-down after the scan in which a counter's breach began is reported, unless that "
	 "breach is fatal",
		port_flap_after_a_breach},
	{"a link-down of a device or port that the next scan lacks is not reported as a short one",
		port_flap_of_the_gone},
	{"an event about no link of a watched port is ignored", port_flap_of_nothing},
	{"a link whose up event is lost counts as up in a scan at least a second later",
		port_flap_without_its_end},
	{"one source counts for a link, and another after a minute of silence",
		port_flap_of_one_source},
	{"a clear waits for a port and a counter that a scan lacks, and spares later faults",
		clear_waits},
	{"a clear that could not be carried out in time has no effect", clear_expires},
	{"a clear has an effect after the clock was set back", clear_after_clock_was_set_back},
	{"a snapshot of the original is dated by the wall clock, but not before the boot",
		walls_are_placed},
};
CHECK_MAIN(tests)
