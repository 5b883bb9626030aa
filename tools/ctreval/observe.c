/* observe - which devices and ports a scan has: what the judgements compare it with. */
#include "observe.h"

#include "leave.h"

#include <string.h>

static bool
is_listed(const struct scan *scan, const char *name)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		if (strcmp(scan->devices[i].record.device, name) == 0)
			return true;
	}
	return false;
}

/* Whether the record's device is the one that is remembered: it is on the same PCI function; or, if there is none below either, it has the same GUID, which soft RoCE and
 * the like take from their interface. (0 is the GUID of a function that was given none.) */
static bool
is_same_device(const struct device_entry *entry, const struct scanrec_device *record)
{
	if (record->pci != NULL)
		return strcmp(entry->pci, record->pci) == 0;
	return *entry->pci == '\0' && record->node_guid != NULL &&
	       strcmp(entry->node_guid, record->node_guid) == 0 &&
	       strspn(record->node_guid, "0:") < strlen(record->node_guid);
}

/* A device that is new may be one that is missing, under another name: udev gives RDMA devices persistent names whenever the driver makes them. */
static void
observe_name(struct evaluation *evaluation, const struct scanrec_device *record)
{
	struct state *state = evaluation->state;
	if (state_find_device(state, record->device) != NULL)
		return;
	for (struct table_node *node = table_next(&state->devices, NULL); node != NULL;
		node = table_next(&state->devices, node)) {
		struct device_entry *entry = (struct device_entry *)node;
		if (is_same_device(entry, record) &&
			!is_listed(evaluation->scan, entry->node.key)) {
			leave_rename(evaluation, entry, record->device);
			return;
		}
	}
}

static void
observe_device(struct evaluation *evaluation, const struct scan_device *device)
{
	const struct scanrec_device *record = &device->record;
	struct state *state = evaluation->state;
	if (evaluation_is_watched(device) && evaluation->scan->whole)
		observe_name(evaluation, record);
	struct device_entry *entry = evaluation_is_watched(device)
					     ? state_device(state, record->device)
					     : state_find_device(state, record->device);
	if (entry == NULL) {
		if (evaluation_is_watched(device))
			evaluation_no_entry(evaluation, record->device);
		return;
	}
	state->changed |= !entry->known || entry->missing > 0;
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
	/* A device that cannot be read has less to say about itself than it had before. */
	if (record->error == NULL || (*entry->pci == '\0' && *entry->node_guid == '\0')) {
		state_copy(entry->pci, sizeof entry->pci, record->pci);
		state_copy(entry->node_guid, sizeof entry->node_guid, record->node_guid);
		state_copy(entry->role, sizeof entry->role, record->role);
		evaluation_card(record, entry->card);
	}
}

static void
observe_port(struct evaluation *evaluation, const struct scan_port *port)
{
	const struct scanrec_port *record = &port->record;
	struct state *state = evaluation->state;
	struct port_entry *entry = state_port(state, record->device, record->port);
	if (entry == NULL) {
		evaluation_no_entry(evaluation, record->device);
		return;
	}
	state->changed |= !entry->known || entry->missing > 0 || entry->gone;
	entry->known = true;
	entry->missing = 0;
	entry->gone = false; /* its health says what is still to be taken back */
	entry->seen = state->stamp;
	/* What stands under one check must be taken back under the same: until then the port is judged as before. */
	if (record->link_layer != NULL && !state_port_is_reported(entry)) {
		bool before = entry->ethernet;
		state_copy(entry->link_layer, sizeof entry->link_layer, record->link_layer);
		entry->ethernet = check_is_ethernet(entry->link_layer);
		/* Under which check it is reported when it is gone. */
		state->changed |= entry->ethernet != before;
	}
	evaluation_card(&evaluation->scan->devices[port->device].record, entry->card);

	struct device_entry *device = state_find_device(state, record->device);
	if (device != NULL && device->presence == DEVICE_FINE)
		device->ethernet = entry->ethernet;
}

void
observe_scan(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->device_count; i++)
		observe_device(evaluation, &scan->devices[i]);
	for (size_t i = 0; i < scan->port_count; i++) {
		if (evaluation_is_judged(scan, &scan->ports[i]))
			observe_port(evaluation, &scan->ports[i]);
	}
}

void
observe_owe_baselines(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	for (struct table_node *node = table_next(&state->devices, NULL); node != NULL;
		node = table_next(&state->devices, node)) {
		struct device_entry *entry = (struct device_entry *)node;
		entry->baseline_owed = entry->unreadable > 0 || entry->seen != state->stamp;
	}
}

void
observe_settle_baselines(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->device_count; i++) {
		struct device_entry *entry =
			state_find_device(evaluation->state, scan->devices[i].record.device);
		if (entry == NULL || !entry->baseline_owed || scan->devices[i].record.error != NULL)
			continue;
		entry->baseline_owed = false;
		evaluation->state->changed = true;
	}
}
