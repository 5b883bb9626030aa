/* missing - devices and ports that are absent from a scan, and when they are gone
 * (spec#device-gone, spec#handed-away, spec#port-gone). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "missing.h"

#include "bond.h"
#include "device.h"
#include "grace.h"
#include "leave.h"
#include "portflap.h"
#include "text.h"

#include <string.h>

/* --- devices --- */

/* Return the NIC on the device's PCI function, if there is one: the device was then a part of it.
 * Parts come and go, and the NIC outlives them. topoclass leaves parts to plane.c, but state files
 * and scans of older versions do not mark them. */
static const struct scan_device *
whole_instead(const struct evaluation *evaluation, const struct device_entry *entry)
{
	return *entry->pci != '\0' ? scan_on_function(evaluation->scan, entry->pci) : NULL;
}

static struct device_absence
look_for(const struct evaluation *evaluation, const struct device_entry *entry)
{
	const struct eval_setting *setting = evaluation->setting;
	const struct scanrec_end *end = &evaluation->scan->end;
	struct device_absence absence = {.where = SCANREC_FUNCTION_UNKNOWN};

	if (*entry->pci != '\0')
		absence.where = scanrec_function(end, entry->pci, &absence.driver);
	if (!scanrec_is_passed_on(absence.driver))
		absence.driver = NULL;
	absence.elsewhere = rec_has_text(end->elsewhere, entry->node.key);
	if (absence.where == SCANREC_FUNCTION_BOUND)
		absence.instead = bond_of_card(evaluation->scan, entry->card);
	if (absence.instead == NULL)
		absence.instead = whole_instead(evaluation, entry);
	/* The bus lists EFA functions as network functions only on some instance types, so their
	 * absence there proves nothing. */
	absence.confirmed = entry->missing >= setting->confirm_scans ||
			    (absence.where == SCANREC_FUNCTION_OFF && entry->layer != LAYER_EFA);
	absence.in_grace = (absence.where == SCANREC_FUNCTION_UNBOUND ||
				   absence.where == SCANREC_FUNCTION_BOUND) &&
			   grace_is_running(evaluation, entry);
	return absence;
}

/* `was_fatal`: it had been reported as fatal before this scan. */
static const char *
why_missing(const struct evaluation *evaluation, const struct device_entry *entry,
	const struct device_absence *absence, bool was_fatal)
{
	const char *why_not = evaluation_why_not(evaluation, check_state(entry->layer));
	if (why_not != NULL)
		return why_not;
	if (was_fatal)
		return "it is gone, already reported";
	if (!absence->confirmed)
		return "it is no longer listed, but not in enough scans in a row yet";
	if (absence->in_grace)
		return "it is no longer listed, but driverReloadGrace has not expired yet";
	return absence->where == SCANREC_FUNCTION_OFF
		       ? "it is no longer listed, and its PCI function has left the bus"
		       : "it is no longer listed";
}

static void
note_instead(struct evaluation *evaluation, const struct device_entry *entry,
	const struct scan_device *instead)
{
	const char *other = instead->record.device;
	if (instead->record.pci != NULL && strcmp(instead->record.pci, entry->pci) == 0)
		evaluation_note(evaluation,
			"RDMA device %s of NIC %s (%s) has been deleted: that NIC is still on its "
			"PCI function, and nothing is missing",
			entry->node.key, other, entry->pci);
	else
		evaluation_note(evaluation,
			"NIC %s (%s) is part of %s now: its PCI function is on the bus, and "
			"nothing is missing",
			entry->node.key, entry->pci, other);
}

/* Return true if the device was handed away in an orderly way: it left, and did not fail. */
static bool
is_handed_away(const struct device_absence *absence)
{
	return absence->instead != NULL || absence->driver != NULL || absence->elsewhere;
}

static void
note_handed_away(struct evaluation *evaluation, const struct device_entry *entry,
	const struct device_absence *absence)
{
	if (absence->instead != NULL)
		note_instead(evaluation, entry, absence->instead);
	else if (absence->driver != NULL)
		evaluation_note(evaluation,
			"NIC %s (%s) is passed on: its PCI function has the driver %s, and nothing "
			"is missing",
			entry->node.key, entry->pci, absence->driver);
	else
		evaluation_note(evaluation,
			"NIC %s is in another network namespace now, and nothing is missing",
			entry->node.key);
}

static void
explain_missing(struct evaluation *evaluation, const struct device_entry *entry, const json_t *said,
	const char *reason)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields = json_pack("{s:s, s:s?, s:s?, s:b, s:n, s:i}", "device", entry->node.key,
		"pci", *entry->pci != '\0' ? entry->pci : NULL, "role",
		*entry->role != '\0' ? entry->role : NULL, "monitored", 1, "error", "missing_scans",
		(int)entry->missing);
	evaluation_explain(evaluation, "device", fields, said, reason);
}

/* A driver that is unloaded takes the link down first, and the interface's addresses with it: that
 * is no short link-down, nor the loss of a port's GIDs. */
static void
forget_link(struct evaluation *evaluation, struct port_entry *port)
{
	(void)evaluation;
	portflap_forget(&port->link);
	port->gids.lost_ns = 0;
}

/* A driver that comes and goes does not restart the grace. */
static void
begin_grace(const struct evaluation *evaluation, struct device_entry *entry)
{
	if (entry->known && !entry->gone_said.stands && !entry->reloading)
		entry->missing_since_ns = evaluation->scan->begin.boottime_ns;
}

static void
eval_missing_device(struct table_node *node, void *context)
{
	struct evaluation *evaluation = context;
	struct device_entry *entry = (struct device_entry *)node;
	const bool known = entry->gone_said.stands, was_fatal = known && entry->gone_said.fatal;
	const json_t *said = NULL;

	/* After a change of scope devices are learned anew, but what was reported about this one
	 * may still turn fatal or be handed away. */
	const bool counts = entry->known || known;

	if (entry->missing == 0)
		begin_grace(evaluation, entry);
	if (counts && entry->missing < evaluation->setting->confirm_scans) {
		entry->missing++;
		evaluation->state->changed = true;
	}
	if (counts)
		entry->unreadable = 0;
	evaluation_each_port(evaluation, entry->node.key, forget_link);
	struct device_absence absence = look_for(evaluation, entry);
	if (is_handed_away(&absence) && !evaluation->waiting) {
		/* Note once: in the scan that forgets the device. */
		if (!leave_has_to_wait(evaluation, entry))
			note_handed_away(evaluation, entry, &absence);
		leave_merged(evaluation, entry);
		return;
	}
	if (!counts)
		return;
	grace_set_reloading(evaluation, entry, absence.in_grace && !known);
	if (evaluation_why_not(evaluation, check_state(entry->layer)) == NULL) {
		said = device_eval_sight(evaluation, entry,
			absence.confirmed ? DEVICE_CONFIRMED_MISSING : DEVICE_MISSING, NULL,
			&absence);
		if (said == NULL && known && !was_fatal && !absence.in_grace)
			said = device_report_gone(evaluation, entry, &absence);
	}
	explain_missing(
		evaluation, entry, said, why_missing(evaluation, entry, &absence, was_fatal));
}

/* Return true if this scan does not have a device that an earlier scan had. */
static bool
is_missing_device(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = context;
	const struct device_entry *entry = (const struct device_entry *)node;
	return entry->seen != evaluation->state->stamp &&
	       evaluation_wants(evaluation, entry->layer);
}

/* Without the class directory no device is known to be missing, but ib_core may have been unloaded
 * with the drivers, which come back with it. The mark stays when the grace has expired: whatever
 * the next listing shows must not begin another one. */
static void
note_unlisted(struct table_node *node, void *context)
{
	struct evaluation *evaluation = context;
	struct device_entry *entry = (struct device_entry *)node;

	if (entry->seen + 1 == evaluation->state->stamp)
		begin_grace(evaluation, entry);
	if (look_for(evaluation, entry).in_grace && !entry->gone_said.stands)
		grace_set_reloading(evaluation, entry, true);
}

/* --- ports --- */

static void
explain_missing_port(struct evaluation *evaluation, const struct port_entry *port,
	const json_t *said, const char *reason)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields = json_pack("{s:s, s:I, s:n, s:n, s:s, s:s}", "device", port->device, "port",
		(json_int_t)port->number, "state", "phys_state", "before",
		port_memory_name(port->health), "now", port_memory_name(port_lost(port->health)));
	evaluation_explain(evaluation, "port", fields, said, reason);
}

/* A port is missing if its device was read in full and no longer has it. Until a device that was
 * gone is back, its own report covers its ports. */
static bool
is_missing_port(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = context;
	const struct port_entry *port = (const struct port_entry *)node;
	if (!port->known || port->seen == evaluation->state->stamp ||
		!evaluation_wants(evaluation, port->layer))
		return false;
	const struct device_entry *device = state_find_device(evaluation->state, port->device);
	return device != NULL && device->seen == evaluation->state->stamp &&
	       device->unreadable == 0 && !device->gone_said.stands &&
	       !grace_is_reloading(evaluation, device);
}

static void
eval_missing_port(struct table_node *node, void *context)
{
	struct evaluation *evaluation = context;
	struct port_entry *port = (struct port_entry *)node;
	enum check check = check_state(port->layer);
	unsigned confirm = evaluation->setting->confirm_scans;

	if (port->missing < confirm) {
		port->missing++;
		evaluation->state->changed = true;
	}
	forget_link(evaluation, port);
	const char *why_not = evaluation_why_not(evaluation, check);
	if (why_not == NULL && port->gone_said.stands)
		why_not = "it is gone, already reported";
	if (why_not == NULL && port->missing < confirm)
		why_not = "its device no longer has it, but not in enough scans in a row yet";
	if (why_not != NULL) {
		explain_missing_port(evaluation, port, NULL, why_not);
		return;
	}
	struct claim claim = evaluation_about(evaluation, check, port->device, port->number);
	claim.fatal = true;
	claim.error_code = CODE_PORT_GONE;
	const json_t *said =
		evaluation_report(evaluation, &claim, "%s %s port %lld disappeared from sysfs",
			layer_port(port->layer), port->device, port->number);
	explain_missing_port(
		evaluation, port, said, "its device was read in full and no longer has it");
	state_report(&port->gone_said, true, CODE_PORT_GONE);
	evaluation_set_id(port->gone_said.id, said);
	state_lose_port(port);
}

void
missing_eval(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	const struct state *state = evaluation->state;
	/* A scan that lost a record or could not list the devices does not prove that a device is
	 * missing. */
	if (scan->whole && text_equals(scan->end.error, "ENOENT") &&
		table_each(&state->devices, is_missing_device, note_unlisted, evaluation) < 0)
		evaluation->failed = true;
	if (scan->whole && scan->listed &&
		(table_each(&state->devices, is_missing_device, eval_missing_device, evaluation) <
				0 ||
			table_each(&state->ports, is_missing_port, eval_missing_port, evaluation) <
				0))
		evaluation->failed = true;
}
