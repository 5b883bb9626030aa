/* chardev - missing InfiniBand character devices, and the baseline of their check. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "chardev.h"

#include "baseline.h"
#include "names.h"

#include <inttypes.h>
#include <string.h>

/* A node that a device or port should have, with this scan's result. */
struct node {
	enum chardev_kind kind;
	const char *device;
	int64_t port; /* 0: the device's own */
	enum chardev_sight sight;
};

enum chardev_action
chardev_step(unsigned *missing, bool reported, enum chardev_sight sight)
{
	if (sight == CHARDEV_PRESENT) {
		*missing = 0;
		return reported ? CHARDEV_REPORT_BACK : CHARDEV_REPORT_NOTHING;
	}
	if (*missing < CHARDEV_MISSING_SCANS)
		++*missing;
	return !reported && *missing == CHARDEV_MISSING_SCANS ? CHARDEV_REPORT_MISSING
							      : CHARDEV_REPORT_NOTHING;
}

/* --- expected nodes --- */

/* Nothing is known about devices that could not be read in full. */
static bool
is_expected(const struct evaluation *evaluation, const struct scan_port *port)
{
	const struct scan *scan = evaluation->scan;
	if (!watched_port(scan, port) || !chardev_is_infiniband(port->record.link_layer))
		return false;
	const struct scanrec_device *device = &scan->devices[port->device].record;
	return device->error == NULL && !names_is_unsettled(evaluation, device);
}

/* Call `act` for each node: the device's own before those of its ports. */
static void
each_node(struct evaluation *evaluation,
	void (*act)(struct evaluation *evaluation, const struct node *node))
{
	const struct scan *scan = evaluation->scan;
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < scan->port_count && !evaluation->failed; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (!is_expected(evaluation, port))
			continue;
		struct node node = {.kind = CHARDEV_UVERBS,
			.device = port->record.device,
			.sight = scan->devices[port->device].record.uverbs};
		if (port->device != last)
			act(evaluation, &node);
		last = port->device;
		node.port = port->record.port;
		node.kind = CHARDEV_UMAD;
		node.sight = port->record.umad;
		act(evaluation, &node);
		if (!evaluation->setting->issm_always)
			continue;
		node.kind = CHARDEV_ISSM;
		node.sight = port->record.issm;
		act(evaluation, &node);
	}
}

/* Return true if the scan shows of each node whether it exists. */
static bool
all_are_known(const struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (is_expected(evaluation, port) &&
			(scan->devices[port->device].record.uverbs == CHARDEV_UNKNOWN ||
				port->record.umad == CHARDEV_UNKNOWN ||
				(evaluation->setting->issm_always &&
					port->record.issm == CHARDEV_UNKNOWN)))
			return false;
	}
	return true;
}

/* --- events --- */

static struct claim
about(const struct evaluation *evaluation, const struct node *node)
{
	struct claim claim =
		evaluation_about(evaluation, CHECK_IB_CHARDEV, node->device, node->port);
	claim.error_code = chardev_name(node->kind);
	return claim;
}

static const json_t *
report_missing(struct evaluation *evaluation, const struct node *node)
{
	struct claim claim = about(evaluation, node);
	claim.fatal = true;
	switch (node->kind) {
	case CHARDEV_UVERBS:
		return evaluation_report(evaluation, &claim,
			"Device %s: verbs character device (uverbs) missing from "
			"/sys/class/infiniband_verbs; RDMA workloads cannot open "
			"/dev/infiniband/uverbs*",
			node->device);
	case CHARDEV_UMAD:
		return evaluation_report(evaluation, &claim,
			"Device %s port %" PRId64 ": umad character device missing from "
			"/sys/class/infiniband_mad; pods cannot open /dev/infiniband/umad*",
			node->device, node->port);
	case CHARDEV_ISSM:
		return evaluation_report(evaluation, &claim,
			"Device %s port %" PRId64 ": issm character device missing from "
			"/sys/class/infiniband_mad (expected for an InfiniBand-mode port); pods "
			"cannot open /dev/infiniband/issm*",
			node->device, node->port);
	case CHARDEV_KIND_N:
		break;
	}
	return NULL;
}

static const json_t *
report_present(struct evaluation *evaluation, const struct node *node)
{
	struct claim claim = about(evaluation, node);
	claim.healthy = true;
	if (node->port == 0)
		return evaluation_report(evaluation, &claim,
			"InfiniBand character device %s for device %s is present again",
			chardev_name(node->kind), node->device);
	return evaluation_report(evaluation, &claim,
		"InfiniBand character device %s for device %s port %" PRId64 " is present again",
		chardev_name(node->kind), node->device, node->port);
}

static void
explain(struct evaluation *evaluation, const struct node *node, unsigned missing,
	const json_t *said, const char *reason)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields = json_pack("{s:s}", "device", node->device);
	if (node->port != 0)
		json_object_set_new(fields, "port", json_integer(node->port));
	json_object_set_new(fields, "node", json_string(chardev_name(node->kind)));
	json_object_set_new(fields, "present",
		node->sight == CHARDEV_UNKNOWN ? json_null()
					       : json_boolean(node->sight == CHARDEV_PRESENT));
	json_object_set_new(fields, "missing_scans", json_integer(missing));
	evaluation_explain(evaluation, "character_device", fields, said, reason);
}

static const char *
reason_of(const struct evaluation *evaluation, const struct chardev_entry *entry,
	const struct node *node)
{
	if (evaluation->waiting)
		return evaluation_why_waiting(evaluation);
	if (node->sight == CHARDEV_PRESENT)
		return entry != NULL ? "it is present again" : "it is present";
	if (entry->missing < CHARDEV_MISSING_SCANS)
		return "it is missing, but not in three scans in a row yet";
	return "it is missing, which is reported once, in the third scan in a row";
}

static void
explain_skipped(struct evaluation *evaluation, const struct node *node)
{
	const struct chardev_entry *entry =
		state_find_chardev(evaluation->state, node->kind, node->device, node->port);
	explain(evaluation, node, entry != NULL ? entry->missing : 0, NULL,
		evaluation->setting->enabled[CHECK_IB_CHARDEV]
			? "the character devices could not all be listed, so the check skips this "
			  "scan"
			: EVALUATION_SWITCHED_OFF);
}

/* --- the baseline --- */

/* If other kinds of nodes are expected than in the last scan and a report is open, owe a baseline:
 * it clears the check, and what is still missing is reported again. */
static void
settle_mode(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	const char *mode = evaluation->setting->issm_always ? "always" : "never";

	if (strcmp(state->issm_mode, mode) == 0)
		return;
	table_foreach (&state->chardevs, const struct chardev_entry, entry)
		state->baseline_owed[CHECK_IB_CHARDEV] |= entry->said.stands;
	state_copy(state->issm_mode, sizeof state->issm_mode, mode);
	state->changed = true;
}

static bool
is_latched_device(const struct state *state, const char *device)
{
	table_foreach (&state->chardevs, const struct chardev_entry, entry) {
		if (entry->said.stands && strcmp(entry->device, device) == 0)
			return true;
	}
	return false;
}

static void
clear_device(struct evaluation *evaluation, const struct node *node)
{
	if (node->kind == CHARDEV_UVERBS && !is_latched_device(evaluation->state, node->device))
		baseline_clear_device(evaluation, CHECK_IB_CHARDEV, node->device);
}

/* Clear the whole check. Reported nodes keep their count, so each that is still missing is reported
 * again in this scan. */
static void
clear_check(struct evaluation *evaluation)
{
	const struct claim claim = {
		.check = check_name(CHECK_IB_CHARDEV),
		.healthy = true,
		.timestamp = evaluation->scan->begin.ts,
	};
	evaluation_report(evaluation, &claim,
		"InfiniBand character-device check: clearing stale conditions after reboot");
	table_foreach (&evaluation->state->chardevs, struct chardev_entry, entry)
		state_retract(&entry->said);
}

static void
report_well(struct evaluation *evaluation, const struct node *node)
{
	const struct chardev_entry *entry =
		state_find_chardev(evaluation->state, node->kind, node->device, node->port);
	if (node->sight == CHARDEV_PRESENT && (entry == NULL || !entry->said.stands))
		report_present(evaluation, node);
}

static void
give_baseline(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;

	evaluation->baseline[CHECK_IB_CHARDEV] = evaluation->in_baseline = true;
	state->baseline_owed[CHECK_IB_CHARDEV] = false;
	state->changed = true;
	if (state->unknown_past)
		each_node(evaluation, report_well);
	else if (evaluation->setting->clear_check)
		clear_check(evaluation);
	else
		each_node(evaluation, clear_device);
	evaluation->in_baseline = false;
}

/* Return true if a healthy event is due for a device that was absent when the baseline was sent:
 * after the loss of the state file, a report about it may still be open. */
static bool
is_owed(const struct evaluation *evaluation, const struct node *node)
{
	const struct device_entry *device = state_find_device(evaluation->state, node->device);
	return evaluation->state->unknown_past && !evaluation->baseline[CHECK_IB_CHARDEV] &&
	       device != NULL && device->baseline_owed && evaluation->scan->whole;
}

/* --- the scan --- */

/* Return NULL if the node is present and was not missing, or the entry could not be added. */
static struct chardev_entry *
entry_of(struct evaluation *evaluation, const struct node *node)
{
	struct state *state = evaluation->state;
	struct chardev_entry *entry =
		node->sight == CHARDEV_MISSING
			? state_find_or_add_chardev(state, node->kind, node->device, node->port)
			: state_find_chardev(state, node->kind, node->device, node->port);
	if (entry == NULL && node->sight == CHARDEV_MISSING)
		evaluation_no_entry(evaluation, node->device);
	return entry;
}

static const json_t *
act(struct evaluation *evaluation, const struct node *node, struct chardev_entry *entry)
{
	unsigned before = entry->missing;
	const json_t *said = NULL;

	/* While the first verdicts are deferred, leave every event to a later scan. */
	if (evaluation->waiting &&
		(entry->said.stands ||
			(node->sight == CHARDEV_MISSING && before + 1 >= CHARDEV_MISSING_SCANS)))
		return NULL;
	switch (chardev_step(&entry->missing, entry->said.stands, node->sight)) {
	case CHARDEV_REPORT_NOTHING:
		break;
	case CHARDEV_REPORT_MISSING:
		said = report_missing(evaluation, node);
		state_report(&entry->said, true, chardev_name(node->kind));
		evaluation_set_id(entry->said.id, said);
		break;
	case CHARDEV_REPORT_BACK:
		said = report_present(evaluation, node);
		state_retract(&entry->said);
		break;
	}
	evaluation->state->changed |= entry->missing != before;
	return said;
}

static void
eval_node(struct evaluation *evaluation, const struct node *node)
{
	struct chardev_entry *entry = entry_of(evaluation, node);
	const json_t *said = NULL;

	if (entry == NULL && node->sight == CHARDEV_MISSING)
		return;
	if (entry != NULL) {
		entry->seen = evaluation->state->stamp;
		said = act(evaluation, node, entry);
	} else if (!evaluation->waiting && is_owed(evaluation, node)) {
		said = report_present(evaluation, node);
	}
	explain(evaluation, node, entry != NULL ? entry->missing : 0, said,
		reason_of(evaluation, entry, node));
	if (entry != NULL && entry->missing == 0)
		state_remove_chardev(evaluation->state, entry);
}

/* Return true if the node was counted, but its device is gone or no longer needs it. Reported nodes
 * are kept until they are seen. */
static bool
is_forgotten(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = context;
	const struct chardev_entry *entry = (const struct chardev_entry *)node;
	const struct scan *scan = evaluation->scan;
	if (entry->said.stands || entry->seen == evaluation->state->stamp || !scan->whole ||
		!scan->listed)
		return false;
	for (size_t i = 0; i < scan->device_count; i++) {
		if (strcmp(scan->devices[i].record.device, entry->device) == 0)
			return scan->devices[i].record.error == NULL;
	}
	return true;
}

static void
forget(struct table_node *node, void *context)
{
	struct evaluation *evaluation = context;
	state_remove_chardev(evaluation->state, (struct chardev_entry *)node);
}

/* Return true if the node was counted, but not reported. */
static bool
is_counted(const struct table_node *node, void *context)
{
	(void)context;
	return !((const struct chardev_entry *)node)->said.stands;
}

/* Skip the scan. While the check is disabled, nodes may be there: their counts start anew. */
static void
skip(struct evaluation *evaluation)
{
	each_node(evaluation, explain_skipped);
	if (!evaluation->setting->enabled[CHECK_IB_CHARDEV] &&
		table_each(&evaluation->state->chardevs, is_counted, forget, evaluation) < 0)
		evaluation->failed = true;
}

void
chardev_eval(struct evaluation *evaluation)
{
	const bool is_enabled = evaluation->setting->enabled[CHECK_IB_CHARDEV];

	if (evaluation->only != CHECK_N && evaluation->only != CHECK_IB_CHARDEV)
		return;
	if (is_enabled)
		settle_mode(evaluation);
	if (!is_enabled || !all_are_known(evaluation)) {
		skip(evaluation);
		return;
	}
	if (evaluation->state->baseline_owed[CHECK_IB_CHARDEV] && baseline_is_possible(evaluation))
		give_baseline(evaluation);
	each_node(evaluation, eval_node);
	if (table_each(&evaluation->state->chardevs, is_forgotten, forget, evaluation) < 0)
		evaluation->failed = true;
}
