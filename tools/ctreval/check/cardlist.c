/* cardlist - groups a scan's ports by card and compares the cards (spec#card-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cardlist.h"

#include "bond.h"
#include "hold.h"
#include "hostnic.h"
#include "portfacts.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum card_verdict
cardlist_mode(double *active, size_t count, unsigned *mode)
{
	double most_common = 0;

	enum peers_verdict verdict = peers_mode(active, count, &most_common);
	if (verdict != PEERS_MEETS)
		return verdict == PEERS_ALONE ? CARDS_SINGLETON : CARDS_TIED;
	if (most_common <= 0)
		return CARDS_ZERO;
	*mode = (unsigned)most_common;
	return CARDS_DECISIVE;
}

/* --- collecting --- */

static struct card_unit *
unit_of(struct evaluation *evaluation, struct cardlist *list, const char *card, enum layer layer)
{
	struct card_entry *entry = state_find_or_add_card(evaluation->state, card, layer);
	if (entry == NULL) {
		evaluation_no_entry(evaluation, card);
		return NULL;
	}
	if (entry->seen != evaluation->state->stamp) {
		entry->seen = evaluation->state->stamp;
		entry->unit = list->count++;
		list->items[entry->unit] = (struct card_unit){.entry = entry};
	}
	return &list->items[entry->unit];
}

static void
add_port(struct evaluation *evaluation, struct cardlist *list, const struct scan_port *port)
{
	char card[STATE_NAME_SIZE];
	const struct port_entry *entry = evaluation_entry(evaluation, port);
	evaluation_card(&evaluation->scan->devices[port->device].record, card);
	if (*card == '\0' || entry == NULL)
		return;
	size_t count_before = list->count;
	struct card_unit *unit = unit_of(evaluation, list, card, entry->layer);
	if (unit == NULL)
		return;
	if (list->count > count_before) {
		unit->role = port->record.role;
		unit->kind = peers_kind_of(evaluation->scan, port);
	}
	if (portfacts_is_pinned(&evaluation->scan->devices[port->device].record)) {
		unit->pinned = true;
		unit->exempt = "named by nicInclusionRegexOverride";
	}
	if (port->record.state == NULL || port->record.phys_state == NULL)
		unit->unreadable = true;
	unit->ports++;
	unit->active += portfacts_is_up(&port->record) || hold_covers(evaluation, port, entry);
}

/* Return the unit of this scan, or NULL if it has none. */
static struct card_unit *
find_unit(const struct evaluation *evaluation, const struct cardlist *list, const char *card,
	enum layer layer)
{
	const struct card_entry *entry = state_find_card(evaluation->state, card, layer);
	return entry != NULL && entry->seen == evaluation->state->stamp ? &list->items[entry->unit]
									: NULL;
}

/* Exempt the card because of a function with this PCI address, nullable. */
static void
exempt(struct card_unit *unit, const char *why, const char *pci)
{
	unit->exempt = why;
	if (unit->exempt_function == NULL)
		unit->exempt_function = pci;
}

/* Apply what a function of the card shows to the card's units, also if the function is not
 * evaluated itself. */
static void
mark_device(
	struct evaluation *evaluation, struct cardlist *list, const struct scanrec_device *device)
{
	char card[STATE_NAME_SIZE];
	bool management = device->role != NULL && strcmp(device->role, "management") == 0;
	bool may_be_host = hostnic_may_be(evaluation, device);
	const char *why = management           ? "management NIC sibling"
			  : !device->monitored ? "sibling that is not monitored"
			  : may_be_host        ? "sibling that may be the management NIC"
					       : NULL;

	bool may_be_bond = bond_is_possible(device);
	bool is_silent =
		device->vf || device->parent != NULL || (why == NULL && device->error == NULL);

	if (is_silent && !may_be_bond)
		return;
	evaluation_card(device, card);
	for (enum layer layer = 0; layer < LAYER_N && *card != '\0'; layer++) {
		struct card_unit *unit = find_unit(evaluation, list, card, layer);
		if (unit == NULL)
			continue;
		unit->may_be_bond |= may_be_bond;
		if (is_silent)
			continue;
		/* The role of a device that cannot be read may be unknown: if it vanishes, that is
		 * a fault. */
		if (why != NULL)
			exempt(unit, why,
				portfacts_may_be_watched(device) && !may_be_host ? NULL
										 : device->pci);
		unit->unreadable |= device->error != NULL;
	}
}

/* Return true if the function, which has no device, may be the management NIC: no device carries
 * the default route, and none of this function has been seen. A GPU's own switch has no management
 * NIC. */
static bool
may_be_management(
	const struct evaluation *evaluation, const struct card_unit *unit, const char *pci)
{
	if (text_equals(unit->kind.reason, "topo_pix_pxb") || hostnic_is_known(evaluation->scan))
		return false;
	table_foreach (&evaluation->state->devices, const struct device_entry, device) {
		if (strcmp(device->pci, pci) == 0)
			return false;
	}
	return true;
}

/* Return why the function of the card has no port by intent, or NULL. Nothing tells which function
 * a device in another network namespace is on: only that it has a driver, and no device here. A
 * scan that lost records may have lost the device's. */
static const char *
why_without_port(const struct evaluation *evaluation, const struct card_unit *unit, const char *pci,
	const char *driver)
{
	const struct scan *scan = evaluation->scan;
	if (scanrec_is_passed_on(driver))
		return "sibling passed to a virtual machine";
	if (!scan->whole || driver == NULL || scan_on_function(scan, pci) != NULL)
		return NULL;
	if (json_array_size(scan->end.elsewhere) > 0)
		return "sibling in another network namespace";
	return may_be_management(evaluation, unit, pci) ? "sibling that may be the management NIC"
							: NULL;
}

/* Apply that a function of the bus has no port by intent to its card's units. */
static void
mark_function(struct evaluation *evaluation, struct cardlist *list, const json_t *function)
{
	const char *pci = json_string_value(json_object_get(function, "pci"));
	const char *driver = json_string_value(json_object_get(function, "driver"));
	const char *dot = pci != NULL ? strrchr(pci, '.') : NULL;
	char card[STATE_NAME_SIZE];

	if (dot == NULL || (size_t)(dot - pci) >= sizeof card)
		return;
	memcpy(card, pci, (size_t)(dot - pci));
	card[dot - pci] = '\0';
	for (enum layer layer = 0; layer < LAYER_N; layer++) {
		struct card_unit *unit = find_unit(evaluation, list, card, layer);
		const char *why =
			unit != NULL ? why_without_port(evaluation, unit, pci, driver) : NULL;
		if (why != NULL)
			unit->exempt = why;
	}
}

/* The same for a device that is absent and that the settings exclude by its name. */
static void
mark_excluded(struct evaluation *evaluation, struct cardlist *list)
{
	table_foreach (&evaluation->state->devices, const struct device_entry, device) {
		if (device->seen == evaluation->state->stamp ||
			!watched_is_excluded(evaluation->setting, device->node.key))
			continue;
		for (enum layer layer = 0; layer < LAYER_N && *device->card != '\0'; layer++) {
			struct card_unit *unit = find_unit(evaluation, list, device->card, layer);
			if (unit != NULL)
				exempt(unit, "sibling that is not monitored", device->pci);
		}
	}
}

/* A function that exempts its card may vanish, which must not look like a fault of the card:
 * remember it until it is there and exempts the card no longer. */
static void
remember_exemption(struct evaluation *evaluation, struct card_unit *unit)
{
	char *known = unit->entry->exempt_function;
	const char *now = text_or_empty(unit->exempt_function);

	if (*now == '\0' && *known != '\0' && scan_on_function(evaluation->scan, known) == NULL) {
		unit->exempt = "absent sibling that was management or not monitored";
		return;
	}
	evaluation->state->changed |= strcmp(known, now) != 0;
	state_copy(known, sizeof unit->entry->exempt_function, now);
}

/* Apply that the card's functions are joined in a bond: it has one port for all of them, which is
 * up while one of them is. A function whose record was lost looks like one of a bond. */
static void
mark_bond(const struct evaluation *evaluation, struct card_unit *unit)
{
	unit->is_bond =
		unit->may_be_bond && bond_of_card(evaluation->scan, unit->entry->card) != NULL;
	if (unit->is_bond && evaluation->scan->whole)
		unit->exempt = "functions joined in a bond";
}

/* A card of which every port is up is not below peers that are no longer known. */
static void
mark_no_peers(const struct scan *scan, struct card_unit *unit)
{
	if (scan->whole && unit->active == unit->ports && portfacts_no_peers(unit->role) != NULL)
		unit->exempt = "its peers are no longer known";
}

/* Return true if the card also has a unit of another link layer. */
static bool
is_mixed(const struct evaluation *evaluation, const struct cardlist *list,
	const struct card_unit *unit)
{
	for (enum layer layer = 0; layer < LAYER_N; layer++) {
		if (layer != unit->entry->layer &&
			find_unit(evaluation, list, unit->entry->card, layer) != NULL)
			return true;
	}
	return false;
}

/* --- comparing --- */

/* Both units must have a role. A card with a port of another link layer has one port fewer of this
 * one. */
static bool
are_peers(const struct card_unit *a, const struct card_unit *b)
{
	return a->is_mixed == b->is_mixed && peers_compare_kinds(&a->kind, &b->kind) == 0;
}

static const char *
why_not_compared(const struct evaluation *evaluation, const struct card_unit *unit)
{
	if (!evaluation->scan->whole)
		return "the scan is incomplete";
	if (!evaluation->scan->listed)
		return "the devices could not be listed";
	if (unit->pinned)
		return "cards are not compared while nicInclusionRegexOverride names the NICs";
	/* Without topoclass, this would compare NICs of the frontend network with NICs of the
	 * GPUs. */
	const char *no_peers = portfacts_no_peers(unit->role);
	if (no_peers != NULL)
		return no_peers;
	if (unit->is_bond)
		return "its functions are joined in a bond";
	if (unit->exempt != NULL)
		return "one of its functions is or may be a management NIC, is not monitored or "
		       "was handed away";
	if (unit->unreadable)
		return "one of its functions cannot be read";
	return NULL;
}

static const char *
verdict_in_words(enum card_verdict verdict)
{
	switch (verdict) {
	case CARDS_DECISIVE:
		return NULL;
	case CARDS_SINGLETON:
		return "there is no other card of its role, reason, link layers and model to "
		       "compare it with";
	case CARDS_TIED:
		return "its peers are tied: no number of active ports is the most common";
	case CARDS_ZERO:
		return "most of its peers have no active port";
	case CARDS_VERDICT_N:
		break;
	}
	return NULL;
}

/* Compare the first unit and its peers. `active` has room for all units. */
static void
compare_peers(struct cardlist *list, size_t first, double *active)
{
	size_t count = 0;
	unsigned mode = 0;
	struct card_unit *leader = &list->items[first];

	for (size_t i = first; i < list->count; i++) {
		if (list->items[i].why_not == NULL && are_peers(leader, &list->items[i]))
			active[count++] = list->items[i].active;
	}
	enum card_verdict verdict = cardlist_mode(active, count, &mode);
	for (size_t i = first; i < list->count; i++) {
		struct card_unit *unit = &list->items[i];
		/* The leader is last, because are_peers() compares the others with it. */
		if (i != first && unit->why_not == NULL && are_peers(leader, unit)) {
			unit->verdict = verdict;
			unit->mode = mode;
			unit->why_not = verdict_in_words(verdict);
		}
	}
	leader->verdict = verdict;
	leader->mode = mode;
	leader->why_not = verdict_in_words(verdict);
}

void
cardlist_collect(struct evaluation *evaluation, struct cardlist *list)
{
	const struct scan *scan = evaluation->scan;
	const json_t *function;
	size_t index;

	/* One more, because calloc(0) may return NULL. */
	*list = (struct cardlist){.items = calloc(scan->port_count + 1, sizeof *list->items)};
	double *active = calloc(scan->port_count + 1, sizeof *active);
	if (list->items == NULL || active == NULL) {
		evaluation->failed = true;
		free(active);
		return;
	}
	for (size_t i = 0; i < scan->port_count; i++) {
		if (watched_port(scan, &scan->ports[i]))
			add_port(evaluation, list, &scan->ports[i]);
	}
	for (size_t i = 0; i < scan->device_count; i++)
		mark_device(evaluation, list, &scan->devices[i].record);
	json_array_foreach (scan->end.functions, index, function)
		mark_function(evaluation, list, function);
	mark_excluded(evaluation, list);

	for (size_t i = 0; i < list->count; i++) {
		remember_exemption(evaluation, &list->items[i]);
		mark_bond(evaluation, &list->items[i]);
		mark_no_peers(scan, &list->items[i]);
		list->items[i].is_mixed = is_mixed(evaluation, list, &list->items[i]);
		list->items[i].verdict = CARDS_VERDICT_N;
		list->items[i].why_not = why_not_compared(evaluation, &list->items[i]);
	}
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].verdict == CARDS_VERDICT_N && list->items[i].why_not == NULL)
			compare_peers(list, i, active);
	}
	for (size_t i = 0; i < list->count; i++) {
		struct card_unit *unit = &list->items[i];
		unit->entry->needs_all_ports = unit->why_not == NULL && unit->ports <= unit->mode;
	}
	free(active);
}

void
cardlist_fini(struct cardlist *list)
{
	free(list->items);
	*list = (struct cardlist){0};
}
