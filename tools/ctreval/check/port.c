/* port - the state of a port, and when it is an event (spec#port-health, spec#port-latch). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "port.h"

#include "card.h"
#include "counter.h"
#include "grace.h"
#include "hold.h"
#include "num.h"
#include "portevent.h"
#include "portfacts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define IN_GRACE "not healthy since its device is back, and driverReloadGrace has not expired yet"

/* --- state machine --- */

struct step {
	enum port_memory next;
	enum port_action action;
};

/* Complete table. A fatal report stays open until the port is healthy: a cable that makes the port
 * change between Disabled and Polling is one event, not one per change. */
static const struct step steps[PORT_MEMORY_N][SIGHT_N] =
	{
		[PORT_NEW] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_REPORT_NOTHING},
				[SIGHT_TRANSIENT] = {PORT_NEW, PORT_REPORT_NOTHING},
				[SIGHT_DEGRADED] = {PORT_DEGRADED_MUTE, PORT_NOTE_MUTED},
				[SIGHT_FATAL] = {PORT_FATAL_MUTE, PORT_NOTE_MUTED},
			},
		[PORT_NEW_SUSPECT] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_REPORT_NOTHING},
				[SIGHT_TRANSIENT] = {PORT_NEW, PORT_REPORT_NOTHING},
				[SIGHT_DEGRADED] = {PORT_DEGRADED, PORT_REPORT_DEGRADED},
				[SIGHT_FATAL] = {PORT_FATAL, PORT_REPORT_FATAL},
			},
		[PORT_HEALTHY] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_REPORT_NOTHING},
				[SIGHT_TRANSIENT] = {PORT_HEALTHY, PORT_REPORT_NOTHING},
				[SIGHT_DEGRADED] = {PORT_DEGRADED, PORT_REPORT_DEGRADED},
				[SIGHT_FATAL] = {PORT_FATAL, PORT_REPORT_FATAL},
			},
		[PORT_DEGRADED] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_REPORT_HEALTHY},
				[SIGHT_TRANSIENT] = {PORT_DEGRADED, PORT_REPORT_NOTHING},
				[SIGHT_DEGRADED] = {PORT_DEGRADED, PORT_REPORT_NOTHING},
				[SIGHT_FATAL] = {PORT_FATAL, PORT_REPORT_FATAL},
			},
		[PORT_FATAL] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_REPORT_HEALTHY},
				[SIGHT_TRANSIENT] = {PORT_FATAL, PORT_REPORT_NOTHING},
				[SIGHT_DEGRADED] = {PORT_FATAL, PORT_REPORT_NOTHING},
				[SIGHT_FATAL] = {PORT_FATAL, PORT_REPORT_NOTHING},
			},
		[PORT_DEGRADED_MUTE] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_REPORT_HEALTHY},
				[SIGHT_TRANSIENT] = {PORT_DEGRADED_MUTE, PORT_REPORT_NOTHING},
				[SIGHT_DEGRADED] = {PORT_DEGRADED_MUTE, PORT_REPORT_NOTHING},
				[SIGHT_FATAL] = {PORT_FATAL, PORT_REPORT_FATAL},
			},
		[PORT_FATAL_MUTE] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_REPORT_HEALTHY},
				[SIGHT_TRANSIENT] = {PORT_FATAL_MUTE, PORT_REPORT_NOTHING},
				[SIGHT_DEGRADED] = {PORT_FATAL_MUTE, PORT_REPORT_NOTHING},
				[SIGHT_FATAL] = {PORT_FATAL_MUTE, PORT_REPORT_NOTHING},
			},
};

enum port_action
port_step(enum port_memory *memory, enum port_sight sight)
{
	struct step step = steps[*memory][sight];
	*memory = step.next;
	return step.action;
}

/* --- a port in a scan --- */

/* Withdraw the report that the port is gone. */
static const json_t *
report_back(struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry)
{
	struct claim claim =
		evaluation_about_port(evaluation->scan, port, check_state(entry->layer));
	const struct said gone_said = entry->gone_said;

	state_retract(&entry->gone_said);
	claim.healthy = true;
	claim.error_code = gone_said.code;
	return evaluation_report(evaluation, &claim, "%s %s port %" PRId64 " is back in sysfs",
		layer_port(entry->layer), port->record.device, port->record.port);
}

/* Report a port as back when no report about its state is open. */
static const json_t *
report_back_alone(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry)
{
	const bool has_code = *entry->gone_said.code != '\0';
	const json_t *said = report_back(evaluation, port, entry);

	if (!has_code)
		counter_report_again(evaluation, entry, check_state(entry->layer));
	return said;
}

/* Withdraw the reports about the port's state and presence. Withdrawing one without a code
 * withdraws every report about the port under this check, so report those that are still open
 * again. */
static const json_t *
report_recovery(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry)
{
	const struct said state_said = entry->state_said, gone_said = entry->gone_said;
	const json_t *said;

	state_retract(&entry->state_said);
	if (gone_said.stands)
		report_back(evaluation, port, entry);
	said = port_report_healthy(
		evaluation, port, entry, state_said.stands ? state_said.code : CODE_PORT_STATE);
	if ((state_said.stands && *state_said.code == '\0') ||
		(gone_said.stands && *gone_said.code == '\0'))
		counter_report_again(evaluation, entry, check_state(entry->layer));
	return said;
}

/* Format a state as sysfs and the state file have it, number and name. Return true if it
 * changed. */
static bool
remember(char field[STATE_RAW_SIZE], int64_t id, const char *name)
{
	char text[STATE_RAW_SIZE], bounded[STATE_WORD_SIZE], number[NUM_U64_SIZE];
	struct strbuf raw;

	state_copy(bounded, sizeof bounded, name);
	strbuf_init(&raw, text, sizeof text);
	if (id >= 0) {
		strbuf_add(&raw, number, num_format_u64((uint64_t)id, number));
		strbuf_add(&raw, ": ", 2);
	}
	strbuf_add(&raw, bounded, strlen(bounded));
	if (strcmp(field, text) == 0)
		return false;
	memcpy(field, text, sizeof text);
	return true;
}

static void
remember_state(
	struct evaluation *evaluation, const struct scanrec_port *record, struct port_entry *entry)
{
	bool new_state = remember(entry->state, record->state_id, record->state);
	bool new_phys = remember(entry->phys_state, record->phys_state_id, record->phys_state);
	evaluation->state->changed |= new_state || new_phys;
}

/* Return true if the port's only report is a non-fatal one that its device is gone. */
static bool
is_in_grace(const struct evaluation *evaluation, const struct port_entry *entry)
{
	const struct device_entry *device = state_find_device(evaluation->state, entry->device);
	return device != NULL && grace_is_gone_for_now(device) && !entry->state_said.stands &&
	       !entry->gone_said.stands;
}

/* Return true if the port's device is only back from a driver reload, and whether it has a healthy
 * port is not known yet. */
static bool
is_reloading(const struct evaluation *evaluation, const struct port_entry *entry)
{
	const struct device_entry *device = state_find_device(evaluation->state, entry->device);
	return device != NULL && grace_is_reloading(evaluation, device);
}

/* Return true if the port's device is reported as gone. A healthy port does not show that the
 * device is back while the device cannot be read. */
static bool
is_of_a_lost_device(const struct evaluation *evaluation, const struct port_entry *entry)
{
	const struct device_entry *device = state_find_device(evaluation->state, entry->device);
	return device != NULL && device->gone_said.stands && device->unreadable > 0;
}

/* While a port or its device is gone, its health is PORT_FATAL (port_lost()). When that report is
 * withdrawn and the port is still unhealthy, restore the health that its state report implies. */
static void
settle_lost(const struct evaluation *evaluation, struct port_entry *entry, enum port_sight sight)
{
	if (!port_is_reported(entry->health) || sight == SIGHT_HEALTHY || entry->gone_said.stands)
		return;
	const struct device_entry *device = state_find_device(evaluation->state, entry->device);
	if (device != NULL && device->gone_said.stands)
		return;
	if (!entry->state_said.stands)
		entry->health = PORT_HEALTHY;
	else if (!entry->state_said.fatal)
		entry->health = PORT_DEGRADED;
}

/* Return why a port with this outcome has no event. */
static const char *
reason_of(enum port_memory before, enum port_memory after, bool healthy)
{
	switch (after) {
	case PORT_NEW:
	case PORT_NEW_SUSPECT:
		return "coming up or going down since it was first seen: not reported";
	case PORT_HEALTHY:
		if (!healthy)
			return "coming up or going down, which is not reported for Ethernet";
		return before == PORT_NEW ? "healthy when first seen: nothing to report"
					  : "healthy, as before";
	case PORT_DEGRADED:
		return "not healthy, already reported as non-fatal";
	case PORT_FATAL:
		return "not healthy, already reported as fatal; open until it is healthy";
	case PORT_DEGRADED_MUTE:
	case PORT_FATAL_MUTE:
		return "not healthy since it was first seen, and neither its peers nor the "
		       "configuration say that it should be: not reported";
	case PORT_MEMORY_N:
		break;
	}
	return "";
}

void
port_explain(struct evaluation *evaluation, const struct scan_port *port, enum port_memory before,
	enum port_memory after, const json_t *said, const char *reason)
{
	const struct scanrec_port *record = &port->record;
	if (!evaluation->setting->explain)
		return;
	json_t *fields = json_pack("{s:s, s:I, s:s?, s:s?, s:s, s:s}", "device", record->device,
		"port", (json_int_t)record->port, "state", record->state, "phys_state",
		record->phys_state, "before", port_memory_name(before), "now",
		port_memory_name(after));
	if (reason == NULL && after == PORT_HEALTHY && said == NULL &&
		evaluation->baseline[check_state(layer_find(record->link_layer))])
		reason = "healthy, reported as part of the baseline";
	if (reason == NULL)
		reason = said != NULL ? "its health changed"
				      : reason_of(before, after, portfacts_is_up(record));
	evaluation_explain(evaluation, "port", fields, said, reason);
}

/* Explain why a port's health stays as it is, without an event. */
static void
explain_unchanged(struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry, const char *reason)
{
	port_explain(evaluation, port, entry->health, entry->health, NULL, reason);
}

/* An EFA port without a network interface counts as up. If the interface was down when it vanished,
 * the report stays open. */
static bool
has_lost_its_witness(const struct scanrec_port *record, const struct port_entry *entry)
{
	return layer_find(record->link_layer) == LAYER_EFA && entry->state_said.stands &&
	       record->netdev == NULL;
}

/* The same for a report that is held back: the port is as down as its interface was. */
static struct scan_port
as_last_witnessed(const struct scan_port *port, const struct port_entry *entry)
{
	struct scan_port seen = *port;
	if (layer_find(port->record.link_layer) == LAYER_EFA && entry->hold.held &&
		port->record.netdev == NULL) {
		seen.record.state = "DOWN";
		seen.record.phys_state = "LinkDown";
	}
	return seen;
}

/* Apply the sight to the port's health. Return the event, or NULL. */
static const json_t *
report_sight(struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry,
	enum port_sight sight, const char *cause)
{
	switch (port_step(&entry->health, sight)) {
	case PORT_REPORT_NOTHING:
		break;
	case PORT_REPORT_HEALTHY:
		return report_recovery(evaluation, port, entry);
	case PORT_REPORT_DEGRADED:
		return port_report_unhealthy(evaluation, port, entry, false, cause);
	case PORT_REPORT_FATAL:
		return port_report_unhealthy(evaluation, port, entry, true, cause);
	case PORT_NOTE_MUTED:
		port_note_muted(evaluation, port, entry->layer);
		break;
	}
	return NULL;
}

static void
explain_held(
	struct evaluation *evaluation, const struct scan_port *port, const struct port_entry *entry)
{
	char reason[120];
	const double second_ns = (double)NUM_NS_PER_S;
	snprintf(reason, sizeof reason,
		"not healthy for %.3f s; portStateHoldDown holds the event back for %.3f s",
		(double)hold_duration_ns(port, entry) / second_ns,
		(double)evaluation->setting->hold_down_ns / second_ns);
	explain_unchanged(evaluation, port, entry, reason);
}

/* Return true if the port is held back, or was and is healthy again: then there is nothing else to
 * do. */
static bool
eval_held(struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry,
	enum port_sight sight)
{
	switch (hold_eval(evaluation, port, entry, sight)) {
	case HOLD_KEEPS:
		explain_held(evaluation, port, entry);
		return true;
	case HOLD_ENDS:
		port_explain(evaluation, port, PORT_HEALTHY, PORT_HEALTHY,
			port_report_blip(evaluation, port, entry),
			"healthy again before portStateHoldDown expired");
		entry->hold = (struct hold_memory){0};
		evaluation->state->changed = true;
		return true;
	case HOLD_NONE:
	case HOLD_DUE:
		break;
	}
	return false;
}

/* Evaluate a sight that is not held back. `before`: the port's health before this scan. */
static void
eval_sight(struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry,
	enum port_memory before, enum port_sight sight, const char *cause)
{
	const json_t *back = NULL;

	settle_lost(evaluation, entry, sight);
	if (entry->gone_said.stands && !port_is_reported(entry->health))
		back = report_back_alone(evaluation, port, entry);
	const json_t *said = report_sight(evaluation, port, entry, sight, cause);
	entry->hold = (struct hold_memory){0};
	if (entry->health != before)
		evaluation->state->changed = true;
	if (said == NULL)
		said = back;
	port_explain(evaluation, port, before, entry->health, said,
		said == NULL && entry->health == PORT_FATAL && is_in_grace(evaluation, entry)
			? IN_GRACE
			: NULL);
}

void
port_eval(struct evaluation *evaluation, const struct scan_port *scanned, struct port_entry *entry,
	bool evidence)
{
	const struct scan_port seen = as_last_witnessed(scanned, entry), *port = &seen;
	const struct scanrec_port *record = &port->record;

	/* Absent texts prove nothing. */
	if (record->state == NULL || record->phys_state == NULL) {
		explain_unchanged(evaluation, port, entry, "its state could not be read");
		return;
	}
	if (has_lost_its_witness(record, entry)) {
		explain_unchanged(evaluation, port, entry,
			"its network interface was down and is gone now: the fault stays open "
			"until one is up");
		return;
	}
	/* Needs the port's state of the last scan. */
	const char *cause = card_event(evaluation, entry);
	if (!hold_covers(evaluation, port, entry))
		remember_state(evaluation, record, entry);
	if (!evaluation->setting->enabled[check_state(entry->layer)]) {
		/* The port may be healthy meanwhile: its time starts anew. */
		evaluation->state->changed |= entry->hold.held;
		entry->hold = (struct hold_memory){0};
		explain_unchanged(evaluation, port, entry, EVALUATION_SWITCHED_OFF);
		return;
	}

	enum port_sight sight = sight_eval(entry->layer, record->state, record->phys_state);
	enum port_memory before = entry->health;
	if (evaluation->waiting) {
		/* Record a healthy port, so that it can fail later. Others are evaluated when all
		 * is known. */
		if (before == PORT_NEW && sight == SIGHT_HEALTHY) {
			entry->health = PORT_HEALTHY;
			evaluation->state->changed = true;
		}
		port_explain(evaluation, port, before, entry->health, NULL,
			evaluation_why_waiting(evaluation));
		return;
	}
	if (sight == SIGHT_HEALTHY && is_of_a_lost_device(evaluation, entry)) {
		explain_unchanged(evaluation, port, entry,
			"healthy, but its device was reported as gone and cannot be read in full");
		return;
	}
	if (eval_held(evaluation, port, entry, sight))
		return;
	if (sight != SIGHT_HEALTHY && is_reloading(evaluation, entry)) {
		explain_unchanged(evaluation, port, entry, IN_GRACE);
		return;
	}
	if (before == PORT_NEW && evidence)
		entry->health = PORT_NEW_SUSPECT;
	eval_sight(evaluation, port, entry, before, sight, cause);
}
