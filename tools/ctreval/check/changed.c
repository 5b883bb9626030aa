/* changed - reports changed facts of devices and ports. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "changed.h"

#include "num.h"
#include "portfacts.h"

#include <inttypes.h>
#include <string.h>

/* Largest LID of a single port; larger ones are multicast or permissive (InfiniBand, 4.1.1). */
#define UNICAST_LID_MAX 0xBFFF

/* Key of a device's or port's entry: its location. */
struct place {
	char key[TABLE_KEY_SIZE];
};

/* --- current facts --- */

static void
set(struct identity *now, enum identity_fact fact, const char *text)
{
	state_copy(now->facts[fact], sizeof now->facts[fact], text);
}

static void
set_number(struct identity *now, enum identity_fact fact, uint64_t number)
{
	num_format_u64(number, now->facts[fact]);
}

/* An all-zero GUID means that none was assigned. */
static bool
is_guid(const char *text)
{
	return text != NULL && strspn(text, "0:") < strlen(text);
}

static void
look_at_device(struct identity *now, const struct scanrec_device *record)
{
	*now = (struct identity){.facts = {""}};
	set(now, IDENTITY_DEVICE, record->device);
	set(now, IDENTITY_PCI, record->pci);
	if (is_guid(record->node_guid))
		set(now, IDENTITY_NODE_GUID, record->node_guid);
	set(now, IDENTITY_HCA_TYPE, record->hca_type);
	set(now, IDENTITY_BOARD_ID, record->board_id);
	set(now, IDENTITY_FW_VER, record->fw_ver);
	set(now, IDENTITY_DRIVER, record->driver);
	set(now, IDENTITY_DRIVER_VERSION, record->driver_version);
	set(now, IDENTITY_PCI_LINK_SPEED, record->pci_link_speed);
	if (record->pci_link_width > 0)
		set_number(now, IDENTITY_PCI_LINK_WIDTH, (uint64_t)record->pci_link_width);
}

/* The rate and LID of a port that is not up mean nothing. */
static void
look_at_port(struct identity *now, const struct scanrec_port *record)
{
	*now = (struct identity){.facts = {""}};
	set(now, IDENTITY_LINK_LAYER, record->link_layer);
	set(now, IDENTITY_NETDEV, record->netdev);
	if (!portfacts_is_up(record))
		return;
	set(now, IDENTITY_RATE, record->rate);
	bool has_lids =
		record->link_layer != NULL && layer_find(record->link_layer) == LAYER_INFINIBAND;
	if (has_lids && record->lid > 0 && record->lid <= UNICAST_LID_MAX)
		set_number(now, IDENTITY_LID, (uint64_t)record->lid);
}

/* --- location --- */

static struct place
place_of_device(const struct scanrec_device *record)
{
	struct place place = {.key = ""};
	state_copy(place.key, STATE_NAME_SIZE, record->pci != NULL ? record->pci : record->device);
	return place;
}

static struct place
place_of_port(const struct scanrec_device *device, int64_t number)
{
	struct place place = place_of_device(device);
	size_t length = strlen(place.key);
	place.key[length] = '/';
	num_format_u64((uint64_t)number, place.key + length + 1);
	return place;
}

static bool
has_device_at(const struct scan *scan, const char *key)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct place place = place_of_device(&scan->devices[i].record);
		if (strcmp(place.key, key) == 0)
			return true;
	}
	return false;
}

/* Return the entry with this GUID if no device is at its location any more, or NULL. */
static struct identity_entry *
find_moved(const struct evaluation *evaluation, const struct identity *now)
{
	const char *guid = now->facts[IDENTITY_NODE_GUID];
	table_foreach (&evaluation->state->identities, struct identity_entry, entry) {
		if (*guid != '\0' && strcmp(entry->told.facts[IDENTITY_NODE_GUID], guid) == 0 &&
			!has_device_at(evaluation->scan, entry->node.key))
			return entry;
	}
	return NULL;
}

/* Return the entry of a location, with facts that were unknown filled in; NULL if it cannot be
 * added. */
static struct identity_entry *
entry_at(struct evaluation *evaluation, const struct place *place, const struct identity *now,
	const char *device)
{
	struct identity_entry *entry = state_find_or_add_identity(evaluation->state, place->key);
	if (entry == NULL) {
		evaluation_no_entry(evaluation, device);
		return NULL;
	}
	evaluation->state->changed |= identity_learn(&entry->told, now);
	return entry;
}

/* --- events --- */

/* A device, or one of its ports. */
struct subject {
	const char *device;
	const struct scan_port *port; /* NULL: the device itself */
};

static void
tell(struct evaluation *evaluation, const struct identity_entry *entry, const struct identity *now,
	enum identity_fact fact, const struct subject *subject)
{
	const char *is = now->facts[fact], *was = entry->told.facts[fact];
	struct claim claim =
		subject->port != NULL
			? evaluation_about_port(evaluation->scan, subject->port, CHECK_N)
			: evaluation_about(evaluation, CHECK_N, subject->device, 0);
	claim.check = CHECKS_IDENTITY;
	claim.error_code = CODE_CHANGED;
	claim.healthy = claim.store_only = true;
	claim.changed = identity_key(fact);
	claim.was = was;
	claim.is = is;
	if (subject->port == NULL)
		evaluation_report(evaluation, &claim, "NIC %s: %s is %s, was %s", claim.device,
			identity_noun(fact), is, was);
	else
		evaluation_report(evaluation, &claim, "%s port %" PRId64 ": %s is %s, was %s",
			claim.device, claim.port, identity_noun(fact), is, was);
}

static void
compare(struct evaluation *evaluation, struct identity_entry *entry, const struct identity *now,
	const struct subject *subject)
{
	uint64_t look = entry->look;
	bool is_due = identity_step(entry, now, evaluation->scan->begin.boottime_ns);
	evaluation->state->changed |= entry->look != look;
	for (enum identity_fact fact = 0; is_due && fact < IDENTITY_N; fact++) {
		if (!identity_differs(&entry->told, now, fact))
			continue;
		tell(evaluation, entry, now, fact, subject);
		strcpy(entry->told.facts[fact], now->facts[fact]);
		entry->look = 0;
	}
}

/* --- a scan --- */

static void
eval_device(struct evaluation *evaluation, const struct scanrec_device *record)
{
	struct state *state = evaluation->state;
	const struct place place = place_of_device(record);
	struct identity now;
	look_at_device(&now, record);
	if (state_find_identity(state, place.key) == NULL) {
		struct identity_entry *moved = find_moved(evaluation, &now);
		if (moved != NULL)
			state_move_identity(state, moved, place.key);
	}
	struct identity_entry *entry = entry_at(evaluation, &place, &now, record->device);
	if (entry != NULL)
		compare(evaluation, entry, &now, &(struct subject){.device = record->device});
}

static void
eval_port(struct evaluation *evaluation, const struct scan_port *port)
{
	const struct scan *scan = evaluation->scan;
	const struct place place =
		place_of_port(&scan->devices[port->device].record, port->record.port);
	struct identity now;
	look_at_port(&now, &port->record);
	struct identity_entry *entry = entry_at(evaluation, &place, &now, port->record.device);
	if (entry != NULL)
		compare(evaluation, entry, &now,
			&(struct subject){.device = port->record.device, .port = port});
}

void
changed_eval(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	if (!scan->whole || evaluation->waiting)
		return;
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scan_device *device = &scan->devices[i];
		if (watched_device(device) && device->record.error == NULL)
			eval_device(evaluation, &device->record);
	}
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (watched_port(scan, port) && scan->devices[port->device].record.error == NULL)
			eval_port(evaluation, port);
	}
}
