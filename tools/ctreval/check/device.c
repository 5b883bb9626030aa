/* device - events about a device: gone, back, unreadable, readable again; and the devices in a scan
 * (spec#device-gone, spec#device-unreadable). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include "counter.h"
#include "grace.h"
#include "names.h"
#include "portfacts.h"
#include "rolereason.h"

#include <string.h>

/* --- state machine --- */

struct step {
	enum device_memory next;
	unsigned action;
};

/* Complete table. */
static const struct step steps[DEVICE_MEMORY_N][DEVICE_SIGHT_N] = {
	[DEVICE_FINE] =
		{
			[DEVICE_SEEN_HEALTHY] = {DEVICE_FINE, DEVICE_REPORT_NOTHING},
			[DEVICE_SEEN] = {DEVICE_FINE, DEVICE_REPORT_NOTHING},
			[DEVICE_UNREADABLE] = {DEVICE_FINE, DEVICE_REPORT_NOTHING},
			[DEVICE_STILL_UNREADABLE] = {DEVICE_SILENT, DEVICE_REPORT_UNREADABLE},
			[DEVICE_MISSING] = {DEVICE_FINE, DEVICE_REPORT_NOTHING},
			[DEVICE_CONFIRMED_MISSING] = {DEVICE_GONE, DEVICE_REPORT_GONE},
		},
	[DEVICE_SILENT] =
		{
			[DEVICE_SEEN_HEALTHY] = {DEVICE_FINE, DEVICE_REPORT_READABLE},
			[DEVICE_SEEN] = {DEVICE_FINE, DEVICE_REPORT_READABLE},
			[DEVICE_UNREADABLE] = {DEVICE_SILENT, DEVICE_REPORT_NOTHING},
			[DEVICE_STILL_UNREADABLE] = {DEVICE_SILENT, DEVICE_REPORT_NOTHING},
			[DEVICE_MISSING] = {DEVICE_SILENT, DEVICE_REPORT_NOTHING},
			[DEVICE_CONFIRMED_MISSING] = {DEVICE_GONE_SILENT, DEVICE_REPORT_GONE},
		},
	[DEVICE_GONE] =
		{
			[DEVICE_SEEN_HEALTHY] = {DEVICE_FINE, DEVICE_REPORT_BACK},
			[DEVICE_SEEN] = {DEVICE_GONE, DEVICE_REPORT_NOTHING},
			[DEVICE_UNREADABLE] = {DEVICE_GONE, DEVICE_REPORT_NOTHING},
			[DEVICE_STILL_UNREADABLE] = {DEVICE_GONE_SILENT, DEVICE_REPORT_UNREADABLE},
			[DEVICE_MISSING] = {DEVICE_GONE, DEVICE_REPORT_NOTHING},
			[DEVICE_CONFIRMED_MISSING] = {DEVICE_GONE, DEVICE_REPORT_NOTHING},
		},
	[DEVICE_GONE_SILENT] =
		{
			[DEVICE_SEEN_HEALTHY] = {DEVICE_FINE,
				DEVICE_REPORT_BACK | DEVICE_REPORT_READABLE},
			[DEVICE_SEEN] = {DEVICE_GONE, DEVICE_REPORT_READABLE},
			[DEVICE_UNREADABLE] = {DEVICE_GONE_SILENT, DEVICE_REPORT_NOTHING},
			[DEVICE_STILL_UNREADABLE] = {DEVICE_GONE_SILENT, DEVICE_REPORT_NOTHING},
			[DEVICE_MISSING] = {DEVICE_GONE_SILENT, DEVICE_REPORT_NOTHING},
			[DEVICE_CONFIRMED_MISSING] = {DEVICE_GONE_SILENT, DEVICE_REPORT_NOTHING},
		},
};

unsigned
device_step(enum device_memory *memory, enum device_sight sight)
{
	struct step step = steps[*memory][sight];
	*memory = step.next;
	return step.action;
}

/* --- events --- */

/* Return a claim with the members that all events about a device share. */
static struct claim
about(const struct evaluation *evaluation, const struct device_entry *entry)
{
	return evaluation_about(evaluation, check_state(entry->layer), entry->node.key, 0);
}

const json_t *
device_report_gone(struct evaluation *evaluation, struct device_entry *entry,
	const struct device_absence *absence)
{
	static const struct {
		const char *what, *where, *verdict;
	} words[LAYER_N] = {
		[LAYER_INFINIBAND] = {"NIC", "/sys/class/infiniband/", " - hardware failure"},
		[LAYER_ETHERNET] = {"RoCE device", "sysfs", ""},
		[LAYER_EFA] = {"EFA device", "sysfs", ""},
	};
	const char *what = words[entry->layer].what, *where = words[entry->layer].where;
	const char *name = entry->node.key;
	const json_t *said;
	struct claim claim = about(evaluation, entry);

	claim.fatal = absence != NULL ? !absence->in_grace : !grace_is_running(evaluation, entry);
	entry->reloading = false;
	state_report(&entry->gone_said, claim.fatal,
		entry->gone_said.stands ? entry->gone_said.code : CODE_NIC_GONE);
	claim.error_code = entry->gone_said.code;
	evaluation->state->changed = true;
	if (absence == NULL)
		said = evaluation_report(evaluation, &claim,
			"%s %s disappeared from %s and is back without a healthy port", what, name,
			where);
	else if (claim.fatal)
		said = evaluation_report(evaluation, &claim, "%s %s disappeared from %s%s", what,
			name, where, words[entry->layer].verdict);
	else
		said = evaluation_report(evaluation, &claim,
			"%s %s disappeared from %s, its PCI function %s is on the bus%s", what,
			name, where, entry->pci,
			absence->where == SCANREC_FUNCTION_UNBOUND ? " without a driver" : "");
	evaluation_set_id(entry->gone_said.id, said);
	return said;
}

/* A report without a code is withdrawn by an event without one, which withdraws every report about
 * the device under that check. Report those that are still open again; a port's state when the port
 * is evaluated. */
static void
report_ports_again(struct evaluation *evaluation, const struct device_entry *entry)
{
	struct state *state = evaluation->state;
	table_foreach (&state->ports, struct port_entry, port) {
		if (strcmp(port->device, entry->node.key) != 0)
			continue;
		state_retract(&port->state_said);
		state_retract(&port->gone_said);
		counter_report_again(evaluation, port, check_state(entry->layer));
	}
}

static void
lose_ports(struct evaluation *evaluation, const struct device_entry *entry)
{
	struct state *state = evaluation->state;
	table_foreach (&state->ports, struct port_entry, port) {
		if (strcmp(port->device, entry->node.key) == 0)
			state_lose_port(port);
	}
}

static const json_t *
act(struct evaluation *evaluation, struct device_entry *entry, unsigned action, const char *error,
	const struct device_absence *absence)
{
	const char *name = entry->node.key;
	const json_t *said = NULL;
	struct claim claim = about(evaluation, entry);

	if ((action & DEVICE_REPORT_GONE) != 0) {
		said = device_report_gone(evaluation, entry, absence);
		lose_ports(evaluation, entry);
	}
	if ((action & DEVICE_REPORT_READABLE) != 0) {
		claim.healthy = true;
		claim.error_code = entry->unreadable_said.code;
		said = evaluation_report(evaluation, &claim, "NIC %s can be read again", name);
		state_retract(&entry->unreadable_said);
	}
	if ((action & DEVICE_REPORT_BACK) != 0) {
		const struct said gone_said = entry->gone_said;
		claim.healthy = true;
		claim.error_code = gone_said.code;
		said = evaluation_report(
			evaluation, &claim, "Device %s re-enumerated in sysfs", name);
		state_retract(&entry->gone_said);
		if (*gone_said.code == '\0')
			report_ports_again(evaluation, entry);
	}
	if ((action & DEVICE_REPORT_UNREADABLE) != 0) {
		claim.healthy = false;
		claim.error_code = CODE_NIC_UNREADABLE;
		state_report(&entry->unreadable_said, false, CODE_NIC_UNREADABLE);
		said = evaluation_report(
			evaluation, &claim, "NIC %s cannot be read (%s)", name, error);
	}
	return said;
}

const json_t *
device_eval_sight(struct evaluation *evaluation, struct device_entry *entry,
	enum device_sight sight, const char *error, const struct device_absence *absence)
{
	enum device_memory before = entry->presence;
	unsigned action = device_step(&entry->presence, sight);
	if (entry->presence != before)
		evaluation->state->changed = true;
	return act(evaluation, entry, action, error, absence);
}

/* --- devices in the scan --- */

static void
explain_present(struct evaluation *evaluation, const struct scan_device *device, const json_t *said,
	const char *reason)
{
	const struct scanrec_device *record = &device->record;
	if (!evaluation->setting->explain)
		return;
	char text[200];
	if (reason == NULL) {
		const char *word = record->vf               ? "virtual_function"
				   : record->reason != NULL ? record->reason
							    : "not annotated";
		const char *words = rolereason_words(word, false);
		snprintf(text, sizeof text, "not monitored (%s): %s", word,
			words != NULL ? words : "as its record says");
		reason = text;
	}
	json_t *fields = json_pack("{s:s, s:s?, s:s?, s:b, s:s?}", "device", record->device, "pci",
		record->pci, "role", record->role, "monitored", watched_device(device), "error",
		record->error);
	evaluation_explain(evaluation, "device", fields, said, reason);
}

/* Return true if a port of the device is healthy, or if all are as they were before it disappeared:
 * dark, so that no receiver was told about them, or, of a device that was not reported as gone,
 * reported as fatal themselves. */
static bool
is_as_it_was(
	const struct evaluation *evaluation, size_t device, const struct device_entry *device_entry)
{
	const struct scan *scan = evaluation->scan;
	size_t judged = 0, same = 0;
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (port->device != device || !watched_port(scan, port))
			continue;
		if (portfacts_is_up(&port->record))
			return true;
		const struct port_entry *entry = evaluation_entry(evaluation, port);
		judged++;
		same += entry == NULL || port_is_dark(entry->health) ||
			(!device_entry->gone_said.stands && entry->state_said.stands &&
				entry->state_said.fatal);
	}
	return judged > 0 && same == judged;
}

static enum device_sight
look_at(const struct evaluation *evaluation, size_t index, const struct device_entry *entry)
{
	const char *error = evaluation->scan->devices[index].record.error;
	if (error != NULL)
		return entry->unreadable >= DEVICE_UNREADABLE_SCANS ? DEVICE_STILL_UNREADABLE
								    : DEVICE_UNREADABLE;
	/* The ports matter only for a device that was reported as gone, or may have to be. */
	if (entry->presence != DEVICE_GONE && entry->presence != DEVICE_GONE_SILENT &&
		!grace_is_reloading(evaluation, entry))
		return DEVICE_SEEN;
	return is_as_it_was(evaluation, index, entry) ? DEVICE_SEEN_HEALTHY : DEVICE_SEEN;
}

static const char *
why_present(const struct evaluation *evaluation, enum device_sight sight,
	const struct device_entry *entry)
{
	if (!evaluation->setting->enabled[check_state(entry->layer)])
		return EVALUATION_SWITCHED_OFF;
	switch (sight) {
	case DEVICE_SEEN_HEALTHY:
		return "it is back, with a healthy port or with ports that were never healthy";
	case DEVICE_SEEN:
		if (entry->presence != DEVICE_GONE)
			return "it is there and was read in full";
		return grace_is_gone_for_now(entry)
			       ? "it is back, but none of its ports is healthy: fatal when "
				 "driverReloadGrace expires"
			       : "it is back, but none of its ports is healthy: the fault stays "
				 "open until one is";
	case DEVICE_UNREADABLE:
		return "it could not be read: unknown, reported after three scans in a row";
	case DEVICE_STILL_UNREADABLE:
		return "it could not be read for three scans in a row: reported once";
	case DEVICE_MISSING:
	case DEVICE_CONFIRMED_MISSING:
	case DEVICE_SIGHT_N:
		break;
	}
	return "";
}

/* A driver's reload is over when the device has a healthy port, or the grace has expired. */
static void
end_reload(const struct evaluation *evaluation, struct device_entry *entry, enum device_sight sight)
{
	if ((sight == DEVICE_SEEN_HEALTHY && evaluation->scan->whole) ||
		!grace_is_running(evaluation, entry))
		grace_set_reloading(evaluation, entry, false);
}

static void
eval_present(struct evaluation *evaluation, size_t index)
{
	const struct scan_device *device = &evaluation->scan->devices[index];
	const bool whole = evaluation->scan->whole;
	const json_t *said = NULL;

	struct device_entry *entry = state_find_device(evaluation->state, device->record.device);
	if (!watched_device(device) || entry == NULL ||
		!evaluation_wants(evaluation, entry->layer) ||
		names_is_unsettled(evaluation, &device->record))
		return;
	entry->was_in_grace = entry->reloading || grace_is_gone_for_now(entry);
	enum device_sight sight = look_at(evaluation, index, entry);
	if (evaluation->setting->enabled[check_state(entry->layer)]) {
		said = device_eval_sight(evaluation, entry, sight, device->record.error, NULL);
		/* A scan that lost records may have lost those of healthy ports. */
		if (sight == DEVICE_SEEN && whole && grace_is_reloading(evaluation, entry))
			said = device_eval_sight(
				evaluation, entry, DEVICE_CONFIRMED_MISSING, NULL, NULL);
		else if (sight == DEVICE_SEEN && whole && grace_is_gone_for_now(entry) &&
			 !grace_is_running(evaluation, entry))
			said = device_report_gone(evaluation, entry, NULL);
	}
	end_reload(evaluation, entry, sight);
	explain_present(evaluation, device, said, why_present(evaluation, sight, entry));
}

/* The first verdicts wait. Another reload before they are given has a grace of its own. */
static void
watch_present(struct evaluation *evaluation, size_t index)
{
	const struct scan_device *device = &evaluation->scan->devices[index];
	struct device_entry *entry = state_find_device(evaluation->state, device->record.device);

	if (!watched_device(device))
		return;
	if (entry != NULL && !names_is_unsettled(evaluation, &device->record))
		end_reload(evaluation, entry, look_at(evaluation, index, entry));
	explain_present(evaluation, device, NULL,
		device->record.error != NULL && !evaluation->booting
			? "it could not be read: the first verdicts wait for it, "
			  "for three scans at most"
			: evaluation_why_waiting(evaluation));
}

void
device_eval(struct evaluation *evaluation)
{
	for (size_t i = 0; i < evaluation->scan->device_count; i++) {
		if (evaluation->waiting)
			watch_present(evaluation, i);
		else
			eval_present(evaluation, i);
	}
}

void
device_explain_others(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->device_count && evaluation->setting->explain; i++) {
		if (!watched_device(&scan->devices[i]))
			explain_present(evaluation, &scan->devices[i], NULL, NULL);
	}
}
