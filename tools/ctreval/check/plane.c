/* plane - the planes of multi-plane NICs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "plane.h"

#include "baseline.h"
#include "port.h"
#include "portfacts.h"

#include <string.h>

/* --- finding devices --- */

static const struct scan_device *
find_device(const struct scan *scan, const char *name)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		if (strcmp(scan->devices[i].record.device, name) == 0)
			return &scan->devices[i];
	}
	return NULL;
}

/* Return the NIC that a device is a part of, or NULL if it is not in the scan. The NIC may have
 * been renamed since part->parent was read: then find it by its PCI function. */
static const struct scan_device *
find_parent(const struct scan *scan, const struct scanrec_device *part)
{
	const struct scan_device *parent = find_device(scan, part->parent);
	return parent != NULL || part->pci == NULL ? parent : scan_on_function(scan, part->pci);
}

/* --- events --- */

/* `port`: the plane in this scan, or NULL. */
static struct claim
about(const struct evaluation *evaluation, const struct scan_port *port,
	const struct plane_entry *plane)
{
	struct claim claim = {.timestamp = evaluation->scan->begin.ts};
	if (port != NULL)
		claim = evaluation_about_port(evaluation->scan, port, check_state(plane->layer));
	claim.check = check_name(check_state(plane->layer));
	claim.device = plane->device;
	claim.port = plane->number;
	claim.parent = plane->parent;
	const struct device_entry *nic = state_find_device(evaluation->state, plane->parent);
	claim.store_only = nic != NULL && nic->store_only;
	claim.error_code = CODE_PLANE_DOWN;
	return claim;
}

#define PLANE "Plane %lld of NIC %s (%s port %lld)"
#define PLANE_ARGUMENTS(plane) (plane)->number, (plane)->parent, (plane)->device, (plane)->number

static const json_t *
report_down(struct evaluation *evaluation, const struct scan_port *port, struct plane_entry *plane)
{
	struct claim claim = about(evaluation, port, plane);
	state_report(&plane->said, false, CODE_PLANE_DOWN);
	return evaluation_report(evaluation, &claim, PLANE ": state %s, phys_state %s",
		PLANE_ARGUMENTS(plane), port->record.state, port->record.phys_state);
}

static const json_t *
report_up(struct evaluation *evaluation, const struct scan_port *port, struct plane_entry *plane)
{
	struct claim claim = about(evaluation, port, plane);
	claim.healthy = true;
	state_retract(&plane->said);
	return evaluation_report(
		evaluation, &claim, PLANE ": healthy (ACTIVE, LinkUp)", PLANE_ARGUMENTS(plane));
}

/* Withdraw an open report about the plane. Return false if its check is disabled: the report then
 * stays open. */
static bool
retract(struct evaluation *evaluation, struct plane_entry *plane)
{
	struct claim claim = about(evaluation, NULL, plane);

	if (!plane->said.stands)
		return true;
	if (!evaluation->setting->enabled[check_state(plane->layer)])
		return false;
	claim.healthy = true;
	claim.error_code = plane->said.code;
	evaluation_report(
		evaluation, &claim, PLANE " is no longer monitored", PLANE_ARGUMENTS(plane));
	state_retract(&plane->said);
	return true;
}

/* --- planes in the scan --- */

/* If the NIC itself is down, all its planes are; if its port is unreadable, nothing is known about
 * them. */
static bool
is_up(const struct scan *scan, const struct scan_device *nic)
{
	for (size_t i = 0; i < scan->port_count && nic != NULL; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (port->device != SIZE_MAX && &scan->devices[port->device] == nic &&
			portfacts_is_up(&port->record))
			return true;
	}
	return false;
}

static enum port_memory
memory_of(const struct plane_entry *plane)
{
	return plane->said.stands ? PORT_DEGRADED : PORT_HEALTHY;
}

/* Return true if a healthy event is due without an open report: receivers may have an old one from
 * before the boot or before the state file was lost. */
static bool
is_owed(const struct evaluation *evaluation, enum check check, bool new)
{
	const struct state *state = evaluation->state;
	return evaluation->baseline[check] ||
	       (new && (state->clear_owed[check] || state->unknown_past ||
			       baseline_was_partial(evaluation)));
}

static void
eval_one(struct evaluation *evaluation, const struct scan_port *port, struct plane_entry *plane,
	const struct scan_device *nic, bool new)
{
	const enum check check = check_state(plane->layer);
	const enum port_memory before = memory_of(plane);
	const char *reason = NULL;
	const json_t *said = NULL;

	if (port->record.state == NULL || port->record.phys_state == NULL)
		reason = "its state could not be read";
	else if (!evaluation->setting->enabled[check])
		reason = EVALUATION_SWITCHED_OFF;
	else if (portfacts_is_up(&port->record)) {
		if (plane->said.stands || is_owed(evaluation, check, new))
			said = report_up(evaluation, port, plane);
	} else if (!plane->said.stands && is_up(evaluation->scan, nic))
		said = report_down(evaluation, port, plane);
	else if (!plane->said.stands)
		reason = "not healthy, but neither is the port of its NIC, whose event covers it";
	port_explain(evaluation, port, before, memory_of(plane), said, reason);
}

static void
eval_port(struct evaluation *evaluation, const struct scan_port *port)
{
	const struct scanrec_device *device = &evaluation->scan->devices[port->device].record;
	struct state *state = evaluation->state;
	const enum layer layer = layer_find(port->record.link_layer);

	if (!evaluation_wants(evaluation, layer))
		return;
	size_t count_before = state->planes.count;
	struct plane_entry *plane =
		state_find_or_add_plane(state, port->record.device, port->record.port);
	if (plane == NULL) {
		evaluation_no_entry(evaluation, port->record.device);
		return;
	}
	/* A report must be withdrawn under the check that made it. */
	if (!plane->said.stands)
		plane->layer = layer;
	const struct scan_device *nic = find_parent(evaluation->scan, device);
	const char *parent = nic != NULL ? nic->record.device : device->parent;
	if (strcmp(plane->parent, parent) != 0) {
		state_copy(plane->parent, sizeof plane->parent, parent);
		state->changed = true;
	}
	plane->seen = state->stamp;
	eval_one(evaluation, port, plane, nic, state->planes.count > count_before);
}

/* --- planes that are gone --- */

/* Return true if this scan would have the plane if it existed, and does not. */
static bool
is_gone(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = context;
	const struct scan *scan = evaluation->scan;
	const struct plane_entry *plane = (const struct plane_entry *)node;
	if (plane->seen == evaluation->state->stamp || !evaluation_wants(evaluation, plane->layer))
		return false;
	const struct scan_device *device = find_device(scan, plane->device);
	return scan->whole && scan->listed && (device == NULL || device->record.error == NULL);
}

/* Note once per device: when its last plane is removed. */
static void
note_deleted(struct evaluation *evaluation, const struct plane_entry *plane)
{
	const struct scan *scan = evaluation->scan;
	const struct table *planes = &evaluation->state->planes;

	/* If the NIC is gone too, its own events say so. */
	if (find_device(scan, plane->device) != NULL || find_device(scan, plane->parent) == NULL)
		return;
	table_foreach (planes, const struct plane_entry, other) {
		if (other != plane && strcmp(other->device, plane->device) == 0)
			return;
	}
	evaluation_note(evaluation,
		"SMI device %s of NIC %s has been deleted: its planes are no longer watched, and "
		"nothing is missing",
		plane->device, plane->parent);
}

static void
forget(struct table_node *node, void *context)
{
	struct evaluation *evaluation = context;
	struct plane_entry *plane = (struct plane_entry *)node;
	if (!retract(evaluation, plane))
		return;
	note_deleted(evaluation, plane);
	state_remove_plane(evaluation->state, plane);
}

void
plane_eval(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;

	if (evaluation->waiting)
		return;
	for (size_t i = 0; i < scan->port_count && !evaluation->failed; i++) {
		if (watched_plane(scan, &scan->ports[i]))
			eval_port(evaluation, &scan->ports[i]);
	}
	if (table_each(&evaluation->state->planes, is_gone, forget, evaluation) < 0)
		evaluation->failed = true;
}

void
plane_withdraw(struct evaluation *evaluation)
{
	table_foreach (&evaluation->state->planes, struct plane_entry, plane)
		(void)retract(evaluation, plane);
}
