/* Unit tests of ctreval's chardev: events for missing character devices, and the baseline of the
 * check (spec#character-devices). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/chardev.h"

#include "../../tools/ctreval/check/eval.h"
#include "../../tools/ctreval/state/standing.h"
#include "check.h"
#include "num.h"

#include <stdio.h>
#include <string.h>

/* --- a node, scan by scan --- */

static struct counter_list counters;
static struct eval_setting setting;
static struct state state;
static struct event_stream stream;
static const char *boot_id;
static int scan_number;
static bool torn; /* the next scan is incomplete */
static char events[4000], reasons[4000];

static void
begin(void)
{
	CHECK_INT(counter_list_init(&counters), 0);
	setting = (struct eval_setting){.counters = &counters,
		.enabled = {[CHECK_IB_CHARDEV] = true},
		.confirm_scans = 3,
		.clear_check = true};
	state_init(&state, counters.count);
	event_stream_init(&stream, "ctreval", "n", "b", "T", "STORE_ONLY");
	boot_id = "b1";
	scan_number = 0;
	torn = false;
}

static void
end(void)
{
	state_fini(&state);
	counter_list_fini(&counters);
}

/* A device with one port as text: its name, `!` if it cannot be read, `-` if it is not monitored,
 * `v` for a virtual function; the link layer I or E; then + present, - missing or ? unknown, for
 * uverbs, umad and issm: "m0 I+++". */
struct given {
	char name[16], pci[24];
	char mark, layer;
	char signs[3];
};

static struct given
parse(const char *text)
{
	struct given given = {.mark = ' '};
	size_t length = strcspn(text, " !-v");
	snprintf(given.name, sizeof given.name, "%.*s", (int)length, text);
	/* The last digit of a device's name is the digit of its PCI function's address. */
	snprintf(given.pci, sizeof given.pci, "0000:0%c:00.0", text[length - 1]);
	text += length;
	if (*text != ' ')
		given.mark = *text++;
	text++;
	given.layer = *text++;
	memcpy(given.signs, text, sizeof given.signs);
	return given;
}

static void
set_sign(json_t *record, const char *key, char sign)
{
	if (sign != '?')
		json_object_set_new(record, key, json_boolean(sign == '+'));
}

static void
give(struct scan *scan, json_t *json)
{
	struct rec_error error = {.reason = ""};
	char ts[CLOCK_STAMP_SIZE];
	clock_format((uint64_t)(1700000000 + scan_number) * NUM_NS_PER_S, ts);
	json_object_set_new(json, "scan", json_integer(scan_number));
	json_object_set_new(json, "ts", json_string(ts));
	json_object_set_new(json, "boottime_ns",
		json_integer((json_int_t)((uint64_t)scan_number * NUM_NS_PER_S)));
	scan_accept(scan, scanrec_kind(json), json, &error);
	CHECK_STR(error.reason, "");
}

static bool
give_device(struct scan *scan, const char *text)
{
	struct given given = parse(text);
	bool readable = given.mark != '!', monitored = given.mark != '-';
	json_t *device = json_pack("{s:s, s:s, s:s, s:i, s:b, s:b, s:s*}", "kind", "device",
		"device", given.name, "pci", given.pci, "ports", 1, "monitored", monitored, "vf",
		given.mark == 'v', "error", readable ? NULL : "EIO");
	json_t *port = json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:b}", "kind", "port", "device",
		given.name, "port", 1, "link_layer", given.layer == 'I' ? "InfiniBand" : "Ethernet",
		"state", "ACTIVE", "phys_state", "LinkUp", "monitored", monitored);
	set_sign(device, "uverbs", given.signs[0]);
	set_sign(port, "umad", given.signs[1]);
	set_sign(port, "issm", given.signs[2]);
	give(scan, device);
	give(scan, port);
	return readable;
}

/* Write the events: `F umad m0/1`, `H uverbs m0`; a clearing event without a code is `H - node`. */
static void
tell(const struct eval_result *result)
{
	size_t i, used = 0;
	const json_t *event, *decision;
	*events = *reasons = '\0';
	json_array_foreach (result->events, i, event) {
		const char *code =
			json_string_value(json_array_get(json_object_get(event, "errorCode"), 0));
		const char *device = event_entity(event, "NIC"),
			   *port = event_entity(event, "NICPort");
		CHECK_STR(json_string_value(json_object_get(event, "checkName")),
			"InfiniBandCharDeviceCheck");
		used += (size_t)snprintf(events + used, sizeof events - used, "%s%s %s %s%s%s",
			used > 0 ? ", " : "",
			json_is_true(json_object_get(event, "isFatal")) ? "F" : "H",
			code != NULL ? code : "-", device != NULL ? device : "node",
			port != NULL ? "/" : "", port != NULL ? port : "");
	}
	used = 0;
	json_array_foreach (result->decisions, i, decision) {
		if (strcmp(json_string_value(json_object_get(decision, "about")),
			    "character_device") != 0)
			continue;
		used += (size_t)snprintf(reasons + used, sizeof reasons - used, "%s: %s\n",
			json_string_value(json_object_get(decision, "node")),
			json_string_value(json_object_get(decision, "reason")));
	}
}

/* Evaluate a scan of these devices, up to NULL, and return its events. */
static const char *
take_scan(const char *const *devices)
{
	struct scan scan = {0};
	struct eval_result result;
	int complete = true;

	scan_number++;
	give(&scan, json_pack("{s:s, s:s, s:s}", "kind", "scan.begin", "node", "n", "boot_id",
			    boot_id));
	for (size_t i = 0; devices[i] != NULL; i++)
		complete &= give_device(&scan, devices[i]);
	give(&scan, json_pack("{s:s, s:i, s:i, s:b}", "kind", "scan.end", "devices",
			    (int)scan.device_count + torn, "ports", (int)scan.port_count,
			    "complete", complete));
	CHECK_INT(eval_scan(&setting, &state, &stream, &scan, &result), 0);
	tell(&result);
	eval_result_fini(&result);
	scan_fini(&scan);
	torn = false;
	return events;
}

#define SCAN(...) take_scan((const char *const[]){__VA_ARGS__, NULL})

static size_t
standing(void)
{
	return standing_count(&state, &counters, CHECK_IB_CHARDEV, NULL);
}

/* --- the tests --- */

static void
steps(void)
{
	static const struct {
		unsigned before;
		bool reported;
		enum chardev_sight sight;
		unsigned after;
		enum chardev_action action;
	} rows[] = {
		{0, false, CHARDEV_PRESENT, 0, CHARDEV_REPORT_NOTHING},
		{0, false, CHARDEV_MISSING, 1, CHARDEV_REPORT_NOTHING},
		{1, false, CHARDEV_MISSING, 2, CHARDEV_REPORT_NOTHING},
		{2, false, CHARDEV_PRESENT, 0, CHARDEV_REPORT_NOTHING},
		{2, false, CHARDEV_MISSING, 3, CHARDEV_REPORT_MISSING},
		{3, true, CHARDEV_MISSING, 3, CHARDEV_REPORT_NOTHING},
		{3, true, CHARDEV_PRESENT, 0, CHARDEV_REPORT_BACK},
		/* Reported under another name, or before the check was cleared. */
		{3, false, CHARDEV_MISSING, 3, CHARDEV_REPORT_MISSING},
		{3, false, CHARDEV_PRESENT, 0, CHARDEV_REPORT_NOTHING},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		unsigned missing = rows[i].before;
		check_row("%zu", i);
		CHECK_INT(chardev_step(&missing, rows[i].reported, rows[i].sight), rows[i].action);
		CHECK_INT(missing, rows[i].after);
	}
}

static void
third_scan(void)
{
	begin();
	CHECK_STR(SCAN("m0 I-++", "m1 I+-+"), "");
	CHECK_STR(SCAN("m0 I-++", "m1 I+-+"), "");
	CHECK_STR(SCAN("m0 I-++", "m1 I+-+"), "F uverbs m0, F umad m1/1");
	CHECK_INT(standing(), 2);
	CHECK_STR(SCAN("m0 I-++", "m1 I+-+"), "");
	CHECK_STR(SCAN("m0 I+++", "m1 I+-+"), "H uverbs m0");
	CHECK_STR(SCAN("m0 I+++", "m1 I+++"), "H umad m1/1");
	CHECK_INT(standing(), 0);
	CHECK_INT(state.chardevs.count, 0);
	check_row("two scans, and one with the node, restart the count");
	CHECK_STR(SCAN("m0 I-++"), "");
	CHECK_STR(SCAN("m0 I-++"), "");
	CHECK_STR(SCAN("m0 I+++"), "");
	CHECK_STR(SCAN("m0 I-++"), "");
	CHECK_STR(SCAN("m0 I-++"), "");
	CHECK_STR(SCAN("m0 I-++"), "F uverbs m0");
	end();
}

static void
not_judged(void)
{
	begin();
	for (int i = 0; i < 4; i++) {
		check_row("scan %d", i);
		CHECK_STR(SCAN("m0 E---", "m1v I---", "m2- I---", "m3 I++-"), "");
	}
	CHECK_INT(state.chardevs.count, 0);
	check_row("issm only if configured");
	setting.issm_always = true;
	CHECK_STR(SCAN("m3 I++-"), "");
	CHECK_STR(SCAN("m3 I++-"), "");
	CHECK_STR(SCAN("m3 I++-"), "F issm m3/1");
	check_row("a check that is switched off reports and counts nothing");
	setting.enabled[CHECK_IB_CHARDEV] = false;
	for (int i = 0; i < 4; i++)
		CHECK_STR(SCAN("m3 I-+-"), "");
	setting.enabled[CHECK_IB_CHARDEV] = true;
	CHECK_STR(SCAN("m3 I-++"), "H issm m3/1");
	CHECK_INT(state.chardevs.count, 1);
	end();
}

static void
unknown(void)
{
	begin();
	SCAN("m0 I-++", "m1 I+++");
	SCAN("m0 I-++", "m1 I+++");
	check_row("a scan with an unknown node is skipped as a whole");
	CHECK_STR(SCAN("m0 I-++", "m1 I+?+"), "");
	CHECK_STR(SCAN("m0 I+++", "m1 I+?+"), "");
	CHECK_STR(SCAN("m0 I-++", "m1 I++?"), "F uverbs m0");
	check_row("no recovery either");
	CHECK_STR(SCAN("m0 I+++", "m1 I?++"), "");
	CHECK_STR(SCAN("m0 I+++", "m1 I+++"), "H uverbs m0");
	check_row("an Ethernet or unreadable device may have unknown nodes");
	CHECK_STR(SCAN("m0 I-++", "m1 E???", "m2! I???"), "");
	CHECK_INT(state.chardevs.count, 1);
	end();
}

static void
device_gone(void)
{
	begin();
	SCAN("m0 I-++", "m1 I+++");
	SCAN("m0 I-++", "m1 I+++");
	check_row("an unreadable device keeps its count");
	CHECK_STR(SCAN("m0! I???", "m1 I+++"), "");
	CHECK_STR(SCAN("m0 I-++", "m1 I+++"), "F uverbs m0");
	check_row("while the device is unreadable or gone, its report stands");
	CHECK_STR(SCAN("m0! I???", "m1 I+++"), "");
	CHECK_STR(SCAN("m1 I+++"), "");
	CHECK_INT(standing(), 1);
	CHECK_STR(SCAN("m0 I-++", "m1 I+++"), "");
	CHECK_STR(SCAN("m0 I+++", "m1 I+++"), "H uverbs m0");
	check_row("a count without a report is dropped, as the device comes back as another one");
	SCAN("m0 I-++", "m1 I+++");
	SCAN("m0 I-++", "m1 I+++");
	torn = true;
	CHECK_STR(SCAN("m1 I+++"), "");
	CHECK_INT(state.chardevs.count, 1);
	CHECK_STR(SCAN("m1 I+++"), "");
	CHECK_INT(state.chardevs.count, 0);
	CHECK_STR(SCAN("m0 I-++", "m1 I+++"), "");
	end();
}

static void
reboot(void)
{
	begin();
	setting.baselines = true;
	for (int i = 0; i < 3; i++)
		SCAN("m0 I-++", "m1 I+-+", "m2 I-++", "m4 I+++");
	CHECK_INT(standing(), 3);
	SCAN("m0 I-++", "m1 I+-+", "m2 I-++", "m4 I-++");
	boot_id = "b2";
	check_row("one device cannot be read");
	CHECK_STR(SCAN("m0 I-++", "m1 I+++", "m4! I???"), "");
	CHECK_INT(state.baseline_owed[CHECK_IB_CHARDEV], true);
	check_row("a class cannot be listed");
	CHECK_STR(SCAN("m0 I?++", "m1 I+++", "m4 I?++"), "");
	CHECK_INT(state.baseline_owed[CHECK_IB_CHARDEV], true);
	check_row(
		"missing nodes are reported again, and the other reports dropped without an event");
	CHECK_STR(SCAN("m0 I-++", "m1 I+++", "m4 I-++"), "H - node, F uverbs m0");
	CHECK_INT(standing(), 1);
	check_row("a node that was not reported takes three scans");
	CHECK_STR(SCAN("m0 I-++", "m1 I+++", "m4 I-++"), "");
	CHECK_STR(SCAN("m0 I-++", "m1 I+++", "m4 I-++"), "F uverbs m4");
	end();
}

static void
reboot_owing(void)
{
	begin();
	setting.baselines = true;
	for (int i = 0; i < 3; i++)
		SCAN("m0 I-++", "m1 I+++");
	boot_id = "b2";
	check_row("verdicts wait for the device for three scans, the baseline for longer");
	CHECK_STR(SCAN("m0 I+++", "m1! I???"), "");
	CHECK_STR(SCAN("m0 I-++", "m1! I???"), "");
	CHECK_INT(standing(), 1);
	CHECK_STR(SCAN("m0 I+++", "m1! I???"), "H uverbs m0");
	CHECK_STR(SCAN("m0 I+++", "m1 I+++"), "H - node");
	CHECK_STR(SCAN("m0 I+++", "m1 I+++"), "");
	end();
}

static void
without_clear_check(void)
{
	begin();
	setting.baselines = true;
	setting.clear_check = false;
	for (int i = 0; i < 3; i++)
		SCAN("m0 I-++", "m1 I+-+", "m2 I+++");
	boot_id = "b2";
	CHECK_STR(SCAN("m0 I-++", "m1 I+++", "m2 I+++", "m3 E???"), "H - m2, H umad m1/1");
	CHECK_INT(standing(), 1);
	end();
}

static void
other_mode(void)
{
	begin();
	setting.issm_always = true;
	for (int i = 0; i < 3; i++)
		SCAN("m0 I-+-");
	CHECK_INT(standing(), 2);
	CHECK_STR(state.issm_mode, "always");
	setting.issm_always = false;
	CHECK_STR(SCAN("m0 I-+-"), "H - node, F uverbs m0");
	CHECK_STR(state.issm_mode, "never");
	CHECK_INT(standing(), 1);
	CHECK_STR(SCAN("m0 I+++"), "H uverbs m0");
	check_row("without reports nothing is cleared, but the mode is to be stored");
	setting.issm_always = true;
	state.changed = false;
	CHECK_STR(SCAN("m0 I+++"), "");
	CHECK(state.changed);
	check_row("an unknown mode counts as another one");
	for (int i = 0; i < 3; i++)
		SCAN("m0 I++-");
	*state.issm_mode = '\0';
	CHECK_STR(SCAN("m0 I++-"), "H - node, F issm m0/1");
	check_row("without clearing of whole checks, only issm is taken back");
	setting.clear_check = false;
	setting.issm_always = false;
	CHECK_STR(SCAN("m0 I++-"), "H issm m0/1");
	end();
}

static void
behind_others(void)
{
	begin();
	SCAN("m0 E???", "m1 I-++");
	check_row("a count is kept while the device cannot be read");
	CHECK_STR(SCAN("m0 E???", "m1! I???"), "");
	CHECK_U64(state.chardevs.count, 1);
	SCAN("m0 E???", "m1 I-++");
	CHECK_STR(SCAN("m0 E???", "m1 I-++"), "F uverbs m1");
	end();
}

static void
unknown_past(void)
{
	begin();
	state_owe_baselines(&state, true);
	state.unknown_past = true;
	CHECK_STR(SCAN("m0 I+-+", "m1 E???"), "H uverbs m0");
	check_row("a device that appears later");
	CHECK_STR(SCAN("m0 I+-+", "m2 I+++"), "H uverbs m2, H umad m2/1");
	CHECK_STR(SCAN("m0 I+-+", "m2 I+++"), "F umad m0/1");
	end();
}

static void
leaves(void)
{
	begin();
	for (int i = 0; i < 3; i++)
		SCAN("m0 I-++", "m1 I+-+");
	CHECK_STR(SCAN("m0- I-++", "m1 I+-+"), "H uverbs m0");
	check_row("it waits until its check is on");
	setting.enabled[CHECK_IB_CHARDEV] = false;
	CHECK_STR(SCAN("m1- I+-+"), "");
	CHECK_INT(standing(), 1);
	setting.enabled[CHECK_IB_CHARDEV] = true;
	CHECK_STR(SCAN("m1- I+-+"), "H umad m1/1");
	CHECK_INT(standing(), 0);
	check_row("a port that has become Ethernet");
	for (int i = 0; i < 3; i++)
		SCAN("m0 I--+");
	CHECK_STR(SCAN("m0! E---"), "");
	CHECK_STR(SCAN("m0 E???"), "H umad m0/1, H uverbs m0");
	CHECK_INT(state.chardevs.count, 0);
	end();
}

static void
renamed(void)
{
	begin();
	for (int i = 0; i < 3; i++)
		SCAN("m0 I-++", "m1 I+-+");
	check_row("a node that is still missing is reported again under the new name");
	CHECK_STR(SCAN("x0 I-++", "m1 I+-+"), "H uverbs m0, F uverbs x0");
	CHECK_STR(SCAN("x0 I-++", "x1 I+++"), "H umad m1/1");
	CHECK_INT(standing(), 1);
	check_row("with the check off, it is taken back under the old name later");
	setting.enabled[CHECK_IB_CHARDEV] = false;
	CHECK_STR(SCAN("y0 I-++"), "");
	CHECK_INT(standing(), 1);
	setting.enabled[CHECK_IB_CHARDEV] = true;
	CHECK_STR(SCAN("y0 I-++"), "H uverbs x0");
	CHECK_STR(SCAN("y0 I-++"), "");
	CHECK_STR(SCAN("y0 I-++"), "F uverbs y0");
	end();
}

static void
explained(void)
{
	begin();
	setting.explain = true;
	SCAN("m0 I+-+");
	CHECK_STR(reasons, "uverbs: it is present\n"
			   "umad: it is missing, but not in three scans in a row yet\n");
	SCAN("m0 I+-+");
	SCAN("m0 I+-+");
	CHECK_STR(reasons, "uverbs: it is present\n"
			   "umad: it is missing, which is reported once, in the third scan in a "
			   "row\n");
	SCAN("m0 I?++");
	CHECK_STR(reasons, "uverbs: the character devices could not all be listed, so the check "
			   "skips this scan\n"
			   "umad: the character devices could not all be listed, so the check "
			   "skips this scan\n");
	SCAN("m0 I+++");
	CHECK_STR(reasons, "uverbs: it is present\numad: it is present again\n");
	end();
}

static void
messages(void)
{
	static const struct {
		const char *device, *message, *back;
	} rows[] = {
		{"m0 I-++",
			"Device m0: verbs character device (uverbs) missing from "
			"/sys/class/infiniband_verbs; RDMA workloads cannot open "
			"/dev/infiniband/uverbs*",
			"InfiniBand character device uverbs for device m0 is present again"},
		{"m0 I+-+",
			"Device m0 port 1: umad character device missing from "
			"/sys/class/infiniband_mad; pods cannot open /dev/infiniband/umad*",
			"InfiniBand character device umad for device m0 port 1 is present again"},
		{"m0 I++-",
			"Device m0 port 1: issm character device missing from "
			"/sys/class/infiniband_mad (expected for an InfiniBand-mode port); pods "
			"cannot open /dev/infiniband/issm*",
			"InfiniBand character device issm for device m0 port 1 is present again"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const char *said[] = {rows[i].message, rows[i].back};
		begin();
		setting.issm_always = true;
		SCAN(rows[i].device);
		SCAN(rows[i].device);
		for (size_t s = 0; s < 2; s++) {
			struct scan scan = {0};
			struct eval_result result;
			scan_number++;
			give(&scan, json_pack("{s:s, s:s}", "kind", "scan.begin", "boot_id", "b1"));
			give_device(&scan, s == 0 ? rows[i].device : "m0 I+++");
			give(&scan, json_pack("{s:s, s:i, s:i, s:b}", "kind", "scan.end", "devices",
					    1, "ports", 1, "complete", 1));
			CHECK_INT(eval_scan(&setting, &state, &stream, &scan, &result), 0);
			const json_t *event = json_array_get(result.events, 0);
			CHECK_STR(json_string_value(json_object_get(event, "message")), said[s]);
			CHECK_STR(json_string_value(json_object_get(event, "recommendedAction")),
				s == 0 ? "REPLACE_VM" : "NONE");
			eval_result_fini(&result);
			scan_fini(&scan);
		}
		end();
	}
}

static const struct check_test tests[] = {
	{"the third scan in a row without a device node reports it, and its return clears it",
		steps},
	{"a node missing in three scans in a row is one event, and its return another", third_scan},
	{"only monitored InfiniBand ports and devices need nodes, and issm only if configured",
		not_judged},
	{"an incomplete scan is no evidence about any node", unknown},
	{"reports about a device that is gone or unreadable stand", device_gone},
	{"a reboot clears the check and reports again nodes that are still missing", reboot},
	{"the baseline waits until every device can be read", reboot_owing},
	{"without baseline.clearCheck each device without a standing report gets a healthy event",
		without_clear_check},
	{"a change of the issm mode clears the check, and issm is no longer expected", other_mode},
	{"a device behind one that needs no nodes is treated as if it were the first",
		behind_others},
	{"after a lost state file present nodes are reported as healthy", unknown_past},
	{"reports about a device that is no longer monitored are taken back", leaves},
	{"a renamed device keeps its missing nodes under its new name", renamed},
	{"each scan explains each node", explained},
	{"messages match the original's", messages},
};
CHECK_MAIN(tests)
