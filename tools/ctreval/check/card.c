/* card - cards with fewer active ports than their peers, and when that is an event
 * (spec#card-peers, spec#card-settle). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "card.h"

#include "below.h"
#include "portfacts.h"
#include "strbuf.h"

#include <stdlib.h>
#include <string.h>

/* Longest list of devices in an event, bytes; a card has a handful. */
#define DEVICES_MAX_BYTES 256

/* --- events --- */

char *
card_devices_new(struct evaluation *evaluation, const char *card)
{
	struct strbuf list = {0};
	for (size_t i = 0; i < evaluation->scan->device_count; i++) {
		const struct scan_device *device = &evaluation->scan->devices[i];
		size_t length = strlen(device->record.device);
		char other[STATE_NAME_SIZE];

		evaluation_card(&device->record, other);
		if (!watched_device(device) || strcmp(other, card) != 0 ||
			list.length + 1 + length > DEVICES_MAX_BYTES)
			continue;
		strbuf_addf(&list, "%s%s", list.length > 0 ? "," : "", device->record.device);
	}
	char *devices = strbuf_detach_new(&list);
	evaluation->failed |= devices == NULL;
	return devices;
}

/* Return the id of an open event about a port of the card, or about a device that is gone with its
 * ports; NULL: there is none. */
static const char *
cause_of(const struct state *state, const struct card_entry *card)
{
	table_foreach (&state->ports, const struct port_entry, port) {
		const struct device_entry *device = state_find_device(state, port->device);
		if (!state_port_is_on_card(port, card))
			continue;
		if (device != NULL && device->gone_said.stands)
			return device->gone_said.id;
		if (port->gone_said.stands)
			return port->gone_said.id;
		if (port->state_said.stands)
			return port->state_said.id;
	}
	return NULL;
}

/* A port that was up until now is not among the ports that the card's event is about. */
static bool
was_up(const struct port_entry *entry)
{
	return strstr(entry->state, "ACTIVE") != NULL &&
	       strstr(entry->phys_state, "LinkUp") != NULL;
}

const char *
card_event(const struct evaluation *evaluation, const struct port_entry *entry)
{
	if (was_up(entry))
		return NULL;
	const struct card_entry *card =
		state_find_card(evaluation->state, entry->card, entry->layer);
	return card != NULL && card->said.stands ? card->said.id : NULL;
}

static const json_t *
report(struct evaluation *evaluation, const struct card_unit *unit, const char *devices,
	bool healthy, const char *code)
{
	const char *card = unit->entry->card;
	const struct claim claim = {
		.check = check_name(check_state(unit->entry->layer)),
		.fatal = !healthy,
		.healthy = healthy,
		.error_code = code,
		.device = card,
		.role = unit->role,
		.devices = devices,
		.cause = healthy ? NULL : cause_of(evaluation->state, unit->entry),
		.timestamp = evaluation->scan->begin.ts,
	};
	if (healthy)
		return evaluation_report(evaluation, &claim,
			"Card %s healthy: %u active ports meet peer mode %u", card, unit->active,
			unit->mode);
	return evaluation_report(evaluation, &claim,
		"Card %s has %u active ports, expected %u (peer mode)", card, unit->active,
		unit->mode);
}

/* Count the card's inactive ports that have a fatal event of their own, or whose device is gone,
 * also while driverReloadGrace makes that non-fatal or confirmScans holds it back. */
static unsigned
covered_ports(const struct state *state, const struct card_entry *card)
{
	unsigned count = 0;
	table_foreach (&state->ports, const struct port_entry, port) {
		const struct device_entry *device = state_find_device(state, port->device);
		count += state_port_is_on_card(port, card) &&
			 (port->health == PORT_FATAL || port->missing > 0 ||
				 (device != NULL && device->missing > 0));
	}
	return count;
}

/* Count the card's ports that are healthy, or were while the first verdicts waited. Those of
 * covered_ports() are not among them. */
static unsigned
healthy_before(const struct evaluation *evaluation, const struct card_entry *card)
{
	const struct scan *scan = evaluation->scan;
	unsigned count = 0;
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		const struct port_entry *entry =
			watched_port(scan, port) ? evaluation_entry(evaluation, port) : NULL;
		count += entry != NULL && state_port_is_on_card(entry, card) &&
			 entry->health != PORT_FATAL &&
			 (entry->health == PORT_HEALTHY || portfacts_is_up(&port->record));
	}
	return count;
}

static enum below_sight
look_at(const struct evaluation *evaluation, const struct card_unit *unit)
{
	const struct card_entry *entry = unit->entry;
	if (!evaluation->scan->whole || !evaluation->scan->listed)
		return BELOW_NOT_COMPARED;
	if (unit->why_not != NULL)
		return BELOW_UNDECIDED;
	if (unit->active >= unit->mode)
		return BELOW_MEETS;
	enum below_sight sight = below_look(evaluation, &entry->below);
	const unsigned covered = covered_ports(evaluation->state, entry);
	/* Also in a first scan: after a change of scope, ports that were reported stay so. */
	if (sight != BELOW_YOUNG && covered >= unit->mode - unit->active)
		return BELOW_COVERED;
	/* Ports that came up before the first verdicts may be down for a moment only. If the state
	 * file was lost, an old report may be open, which the event of a recovery must end. */
	if (sight == BELOW_FIRST && !evaluation->state->unknown_past &&
		healthy_before(evaluation, entry) + covered >= unit->mode)
		return BELOW_YOUNG;
	return sight;
}

/* `said`: this sight caused an event. */
static const char *
reason_of(const struct card_unit *unit, enum below_sight sight, bool said)
{
	if (sight >= BELOW_FIRST && !said && unit->entry->below.memory == BELOW_REPORTED)
		return "fewer active ports than its peers, already reported; open until it has as "
		       "many";
	switch (sight) {
	case BELOW_NOT_COMPARED:
	case BELOW_UNDECIDED:
		return unit->why_not;
	case BELOW_MEETS:
		return "as many active ports as its peers";
	case BELOW_FIRST:
		return "fewer active ports than its peers in the first scan";
	case BELOW_YOUNG:
		return "fewer active ports than its peers, but not for settleSeconds yet";
	case BELOW_COVERED:
		return "fewer active ports than its peers, but each missing one has a fatal event "
		       "of its own, or is gone, alone or with its device";
	case BELOW_SETTLED:
		return "fewer active ports than its peers for settleSeconds";
	case BELOW_NO_LINK:
	case BELOW_SIGHT_N:
		break;
	}
	return "";
}

/* One record per device, so that a search for a device also finds its card. */
static void
explain(struct evaluation *evaluation, const struct card_unit *unit, const char *devices,
	enum below_sight sight, const json_t *said)
{
	if (!evaluation->setting->explain)
		return;
	for (size_t i = 0; i < evaluation->scan->device_count; i++) {
		const struct scan_device *device = &evaluation->scan->devices[i];
		char card[STATE_NAME_SIZE];
		evaluation_card(&device->record, card);
		if (!watched_device(device) || strcmp(card, unit->entry->card) != 0)
			continue;
		json_t *fields = json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s, s:i, s:b}",
			"device", device->record.device, "card", card, "devices", devices, "role",
			unit->role, "role_reason", unit->kind.reason, "hca_type",
			unit->kind.hca_type, "board_id", unit->kind.board_id, "link_layer",
			layer_name(unit->entry->layer), "active", (int)unit->active, "reported",
			unit->entry->below.memory == BELOW_REPORTED);
		json_object_set_new(fields, "mode",
			unit->why_not == NULL ? json_integer(unit->mode) : json_null());
		evaluation_explain(
			evaluation, "card", fields, said, reason_of(unit, sight, said != NULL));
	}
}

static void
eval_one(struct evaluation *evaluation, const struct card_unit *unit)
{
	struct card_entry *entry = unit->entry;
	enum below_sight sight = look_at(evaluation, unit);
	enum below_action action = below_eval(evaluation, &entry->below, sight);
	const json_t *said = NULL;

	if (action == BELOW_REPORT_NOTHING && !evaluation->setting->explain)
		return;

	char *devices = card_devices_new(evaluation, entry->card);
	if (devices == NULL)
		return;
	if (action == BELOW_REPORT_FAULT)
		state_report(&entry->said, true, CODE_CARD_PORTS);
	if (action != BELOW_REPORT_NOTHING)
		said = report(evaluation, unit, devices, action == BELOW_REPORT_HEALTHY,
			entry->said.code);
	if (action == BELOW_REPORT_FAULT)
		evaluation_set_id(entry->said.id, said);
	if (action == BELOW_REPORT_HEALTHY)
		state_retract(&entry->said);
	explain(evaluation, unit, devices, sight, said);
	free(devices);
}

/* A card without a readable port is not in the list. */
static void
eval_absent(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	table_foreach (&state->cards, struct card_entry, card) {
		if (card->seen != state->stamp && evaluation_wants(evaluation, card->layer))
			below_eval(evaluation, &card->below, BELOW_UNDECIDED);
	}
}

void
card_eval(struct evaluation *evaluation, const struct cardlist *list)
{
	const struct scan *scan = evaluation->scan;

	for (size_t i = 0; i < list->count && !evaluation->waiting; i++) {
		enum layer layer = list->items[i].entry->layer;
		if (!evaluation_wants(evaluation, layer))
			continue;
		if (evaluation->setting->enabled[check_state(layer)])
			eval_one(evaluation, &list->items[i]);
		else
			below_eval(evaluation, &list->items[i].entry->below, BELOW_UNDECIDED);
	}
	if (scan->whole && scan->listed && !evaluation->waiting)
		eval_absent(evaluation);
}

static void
report_well(struct evaluation *evaluation, const struct card_unit *unit)
{
	if (unit->why_not != NULL || unit->active < unit->mode)
		return;
	char *devices = card_devices_new(evaluation, unit->entry->card);
	if (devices != NULL)
		report(evaluation, unit, devices, true, CODE_CARD_PORTS);
	free(devices);
}

void
card_baseline(struct evaluation *evaluation, const struct cardlist *list, enum check check)
{
	for (size_t i = 0; i < list->count; i++) {
		if (check_state(list->items[i].entry->layer) == check)
			report_well(evaluation, &list->items[i]);
	}
}

void
card_late_baseline(struct evaluation *evaluation, const struct cardlist *list,
	const struct device_entry *device)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct card_entry *card = list->items[i].entry;
		/* An open report is withdrawn when the card is evaluated. */
		if (card->layer == device->layer && strcmp(card->card, device->card) == 0 &&
			!card->said.stands)
			report_well(evaluation, &list->items[i]);
	}
}

bool
card_is_evidence(const struct evaluation *evaluation, const struct port_entry *entry)
{
	const struct card_entry *card =
		state_find_card(evaluation->state, entry->card, entry->layer);
	return card != NULL && card->below.memory == BELOW_REPORTED && card->needs_all_ports;
}
