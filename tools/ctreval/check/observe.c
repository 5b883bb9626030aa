/* observe - records a scan's devices and ports in the state, and assigns interfaces' counters to
 * ports. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "observe.h"

#include "../state/standing.h"
#include "baseline.h"
#include "device.h"
#include "names.h"
#include "vendor.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

static bool
owes_clear(const struct evaluation *evaluation)
{
	for (enum check check = 0; check < CHECK_N; check++) {
		if (evaluation->state->clear_owed[check])
			return true;
	}
	return baseline_was_partial(evaluation);
}

static bool
stands(const struct evaluation *evaluation, const char *device)
{
	return standing_count(evaluation->state, evaluation->setting->counters, CHECK_N, device) >
	       0;
}

/* Return true if a report about one of the NIC's planes is open. */
static bool
plane_stands(const struct state *state, const char *nic)
{
	table_foreach (&state->planes, const struct plane_entry, plane) {
		if (plane->said.stands && strcmp(plane->parent, nic) == 0)
			return true;
	}
	return false;
}

/* Switch a device to STORE_ONLY only when no report about it, its planes or its card is open, so
 * that each report is withdrawn with the strategy of its event. VENDOR_OTHER is monitored only if
 * the configuration names it. */
static void
settle_vendor(struct evaluation *evaluation, struct device_entry *entry)
{
	enum vendor vendor = (enum vendor)words_find(vendor_names, VENDOR_N, entry->vendor);
	bool store_only = vendor != VENDOR_OTHER && !evaluation->setting->acts_on[vendor];
	if (store_only && !entry->store_only &&
		(stands(evaluation, entry->node.key) || stands(evaluation, entry->card) ||
			plane_stands(evaluation->state, entry->node.key)))
		return;
	evaluation->state->changed |= store_only != entry->store_only;
	entry->store_only = store_only;
}

static void
observe_vendor(struct evaluation *evaluation, struct device_entry *entry,
	const struct scanrec_device *record)
{
	enum vendor vendor = vendor_find(record->driver, record->vendor);
	const char *name = vendor != VENDOR_OTHER ? vendor_names[vendor] : "";
	evaluation->state->changed |= strcmp(entry->vendor, name) != 0;
	state_copy(entry->vendor, sizeof entry->vendor, name);
	settle_vendor(evaluation, entry);
}

/* The vendors of the configuration may have changed since a device was last read. */
static void
settle_vendors(struct evaluation *evaluation)
{
	table_foreach (&evaluation->state->devices, struct device_entry, entry) {
		if (*entry->vendor != '\0')
			settle_vendor(evaluation, entry);
	}
}

/* Return true if the record is certainly of another card in the place of the one that was there. */
static bool
is_another_card(const struct device_entry *entry, const struct scanrec_device *record)
{
	return *entry->node_guid != '\0' && record->node_guid != NULL &&
	       strcmp(entry->node_guid, record->node_guid) != 0;
}

/* The values of the card that was there are no base for the growth of this one's counters. A breach
 * stays: drivers that derive the GUID from the interface may change it. */
static void
forget_counts(struct evaluation *evaluation, struct port_entry *port)
{
	for (size_t i = 0; i < port->counter_count; i++) {
		struct counter_memory *memory = &port->counters[i];
		if (!memory->breached && memory->saturation == SATURATION_NONE)
			memory->seen = memory->has_previous = false;
	}
	port->flap.has_link_downed = false;
	evaluation->state->changed = true;
}

static void
observe_device(struct evaluation *evaluation, const struct scan_device *device)
{
	const struct scanrec_device *record = &device->record;
	struct state *state = evaluation->state;
	if (names_is_unsettled(evaluation, record))
		return;
	struct device_entry *entry = watched_device(device)
					     ? state_find_or_add_device(state, record->device)
					     : state_find_device(state, record->device);
	if (entry == NULL) {
		if (watched_device(device))
			evaluation_no_entry(evaluation, record->device);
		return;
	}
	state->changed |= !entry->known || entry->missing > 0;
	/* The device was absent when the baseline was sent, so reports from before this boot may
	 * still be open. */
	if (!entry->known && owes_clear(evaluation))
		entry->baseline_owed = entry->clear_owed = true;
	else if (!entry->known && state->unknown_past && state->settled)
		entry->baseline_owed = true;
	entry->known = true;
	entry->seen = state->stamp;
	entry->missing = 0;
	if (record->error == NULL) {
		state->changed |= entry->unreadable > 0;
		entry->unreadable = 0;
	} else if (entry->unreadable < DEVICE_UNREADABLE_SCANS) {
		state->changed = true;
		entry->unreadable++;
	}
	/* An unreadable device shows less about itself than the state already has. */
	if (record->error == NULL || (*entry->pci == '\0' && *entry->node_guid == '\0')) {
		if (is_another_card(entry, record))
			evaluation_each_port(evaluation, entry->node.key, forget_counts);
		state_copy(entry->pci, sizeof entry->pci, record->pci);
		state_copy(entry->node_guid, sizeof entry->node_guid, record->node_guid);
		state_copy(entry->role, sizeof entry->role, record->role);
		evaluation_card(record, entry->card);
		observe_vendor(evaluation, entry, record);
	}
}

static void
observe_port(struct evaluation *evaluation, const struct scan_port *port)
{
	const struct scanrec_port *record = &port->record;
	struct state *state = evaluation->state;
	if (names_is_unsettled(evaluation, &evaluation->scan->devices[port->device].record))
		return;
	struct port_entry *entry = state_find_or_add_port(state, record->device, record->port);
	if (entry == NULL) {
		evaluation_no_entry(evaluation, record->device);
		return;
	}
	state->changed |= !entry->known || entry->missing > 0;
	entry->known = true;
	entry->missing = 0;
	entry->seen = state->stamp;
	/* A report must be withdrawn under the check that made it: while one is open, keep
	 * evaluating the port under the old link layer. */
	if (record->link_layer != NULL) {
		enum layer before = entry->layer;
		const char *link_layer = record->link_layer;
		if (layer_find(link_layer) != before && state_port_is_reported(entry))
			link_layer = layer_name(before);
		state_copy(entry->link_layer, sizeof entry->link_layer, link_layer);
		entry->layer = layer_find(link_layer);
		/* The link layer selects the check that reports the port as gone. */
		state->changed |= entry->layer != before;
	}
	evaluation_card(&evaluation->scan->devices[port->device].record, entry->card);

	struct device_entry *device = state_find_device(state, record->device);
	if (device != NULL && device->presence == DEVICE_FINE)
		device->layer = entry->layer;
}

void
observe_scan(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	names_settle(evaluation);
	for (size_t i = 0; i < scan->device_count; i++)
		observe_device(evaluation, &scan->devices[i]);
	settle_vendors(evaluation);
	for (size_t i = 0; i < scan->port_count; i++) {
		if (watched_port(scan, &scan->ports[i]))
			observe_port(evaluation, &scan->ports[i]);
	}
}

/* --- counters of interfaces --- */

/* Return the port with this interface if its link layer, and so its check, is known; else NULL. */
static const struct scan_port *
find_port(const struct scan *scan, const char *interface)
{
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scanrec_port *record = &scan->ports[i].record;
		if (record->netdev != NULL && record->link_layer != NULL &&
			strcmp(record->netdev, interface) == 0)
			return &scan->ports[i];
	}
	return NULL;
}

/* The port's own snapshot is later than the interface's, so keep it. */
static void
give(struct counter_memory *memory, struct counter_memory *from)
{
	if (!memory->seen) {
		memory->seen = from->seen;
		memory->snapshot = from->snapshot;
		memory->wall = from->wall;
	}
	if (memory->breached || !from->breached)
		return;
	memory->breached = true;
	free(memory->breach.message);
	memory->breach = from->breach;
	from->breach.message = NULL;
}

/* Return 0, or -1 with errno. */
static int
place(const struct evaluation *evaluation, struct unplaced *unplaced, const struct scan_port *port)
{
	const struct eval_setting *setting = evaluation->setting;
	struct state *state = evaluation->state;
	const struct scanrec_port *record = &port->record;
	const struct counter_def *def = counter_list_find(setting->counters, unplaced->name);
	struct breach *breach = &unplaced->memory.breach;

	if (breach->check == CHECK_N)
		breach->check = check_of_counter(layer_find(record->link_layer),
			def != NULL ? def->fatal : breach->fatal,
			setting->fatal_counters_as_degradation);
	if (def == NULL || !def->enabled || !setting->counter_detection)
		return unplaced->memory.breached
			       ? state_add_orphan(state, record->device, record->port,
					 unplaced->name, false, breach)
			       : 0;
	struct port_entry *entry = state_find_or_add_port(state, record->device, record->port);
	if (entry == NULL)
		return -1;
	give(&entry->counters[def - setting->counters->items], &unplaced->memory);
	state->has_wall_snapshots |= unplaced->memory.wall;
	return 0;
}

static void
note_waiting(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	struct state *state = evaluation->state;

	if (state->unplaced_noted || !scan->whole || !scan->listed || !scan->complete)
		return;
	for (const struct unplaced *unplaced = state->unplaced; unplaced != NULL;
		unplaced = unplaced->next) {
		if (!unplaced->memory.breached)
			continue;
		evaluation_note(evaluation,
			"%s on network interface %s: the state file says that it is in breach, but "
			"no port has that interface",
			unplaced->name, unplaced->interface);
		state->unplaced_noted = true;
	}
}

void
observe_unplaced(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;

	for (struct unplaced **at = &state->unplaced; *at != NULL;) {
		struct unplaced *unplaced = *at;
		const struct scan_port *port = find_port(evaluation->scan, unplaced->interface);
		if (port == NULL) {
			at = &unplaced->next;
			continue;
		}
		if (place(evaluation, unplaced, port) < 0) {
			evaluation_no_entry(evaluation, port->record.device);
			return;
		}
		*at = unplaced->next;
		state->last_unplaced = NULL;
		state_free_unplaced(unplaced);
		state->changed = true;
	}
	note_waiting(evaluation);
}
