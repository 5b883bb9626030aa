/* cardcheck - the cards of one scan, compared with each other: SPEC section 4.3. */
#include "cardcheck.h"

#include "explain.h"

#include <stdlib.h>
#include <string.h>

/* Longest list of devices in an event, bytes; a card has a handful. */
#define DEVICES_MAX_BYTES 256

/* --- collecting --- */

static struct card_unit *
unit_of(struct evaluation *evaluation, struct card_list *list, const char *card, bool ethernet)
{
	struct card_entry *entry = state_card(evaluation->state, card, ethernet);
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
add_port(struct evaluation *evaluation, struct card_list *list, const struct scan_port *port)
{
	char card[STATE_NAME_SIZE];
	const struct port_entry *entry =
		state_find_port(evaluation->state, port->record.device, port->record.port);
	evaluation_card(&evaluation->scan->devices[port->device].record, card);
	if (*card == '\0' || entry == NULL)
		return;
	size_t count_before = list->count;
	struct card_unit *unit = unit_of(evaluation, list, card, entry->ethernet);
	if (unit == NULL)
		return;
	if (list->count > count_before)
		unit->role = port->record.role;
	if (port->record.state == NULL || port->record.phys_state == NULL)
		unit->unreadable = true;
	unit->active += evaluation_is_healthy(&port->record);
}

/* What the card's functions say about its units, those too that are not judged themselves. */
static void
mark_device(
	struct evaluation *evaluation, struct card_list *list, const struct scanrec_device *device)
{
	char card[STATE_NAME_SIZE];
	bool management = device->role != NULL && strcmp(device->role, "management") == 0;
	bool exempt = management || !device->monitored;

	if (device->vf || (!exempt && device->error == NULL))
		return;
	evaluation_card(device, card);
	for (int ethernet = 0; ethernet <= 1 && *card != '\0'; ethernet++) {
		const struct card_entry *entry =
			state_find_card(evaluation->state, card, ethernet != 0);
		if (entry == NULL || entry->seen != evaluation->state->stamp)
			continue;
		list->items[entry->unit].exempt |= exempt;
		list->items[entry->unit].unreadable |= device->error != NULL;
	}
}

/* --- comparing --- */

/* Both have a role. */
static bool
are_peers(const struct card_unit *a, const struct card_unit *b)
{
	return a->entry->ethernet == b->entry->ethernet && strcmp(a->role, b->role) == 0;
}

static const char *
why_not_judged(const struct evaluation *evaluation, const struct card_unit *unit)
{
	if (!evaluation->scan->whole)
		return "the scan is not whole";
	if (!evaluation->scan->listed)
		return "the devices could not be listed";
	/* Without topoclass, the NICs for the network at large would be compared with those for the GPUs. */
	if (unit->role == NULL)
		return "its role is not known, so neither are its peers";
	if (unit->exempt)
		return "a function of it is a management NIC, or not monitored";
	if (unit->unreadable)
		return "a function of it cannot be read";
	return NULL;
}

static const char *
verdict_in_words(enum card_verdict verdict)
{
	switch (verdict) {
	case CARDS_DECISIVE:
		return NULL;
	case CARDS_SINGLETON:
		return "there is no other card of its role and link layer to compare it with";
	case CARDS_TIED:
		return "its peers are tied: no number of active ports is the most common";
	case CARDS_ZERO:
		return "most of its peers have no active port";
	case CARDS_VERDICT_N:
		break;
	}
	return NULL;
}

/* Judges the first unit's peers together with it. `active` has room for all of them. */
static void
compare_peers(struct card_list *list, size_t first, double *active)
{
	size_t count = 0;
	unsigned mode = 0;
	struct card_unit *leader = &list->items[first];

	for (size_t i = first; i < list->count; i++) {
		if (list->items[i].why_not == NULL && are_peers(leader, &list->items[i]))
			active[count++] = list->items[i].active;
	}
	enum card_verdict verdict = card_mode(active, count, &mode);
	for (size_t i = first; i < list->count; i++) {
		struct card_unit *unit = &list->items[i];
		/* The leader last: the others are found by comparing with it. */
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
cardcheck_collect(struct evaluation *evaluation, struct card_list *list)
{
	const struct scan *scan = evaluation->scan;

	/* One more, so that none is no failure. */
	*list = (struct card_list){.items = calloc(scan->port_count + 1, sizeof *list->items)};
	double *active = calloc(scan->port_count + 1, sizeof *active);
	if (list->items == NULL || active == NULL) {
		evaluation->failed = true;
		free(active);
		return;
	}
	for (size_t i = 0; i < scan->port_count; i++) {
		if (evaluation_is_judged(scan, &scan->ports[i]))
			add_port(evaluation, list, &scan->ports[i]);
	}
	for (size_t i = 0; i < scan->device_count; i++)
		mark_device(evaluation, list, &scan->devices[i].record);

	for (size_t i = 0; i < list->count; i++) {
		list->items[i].verdict = CARDS_VERDICT_N;
		list->items[i].why_not = why_not_judged(evaluation, &list->items[i]);
	}
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].verdict == CARDS_VERDICT_N && list->items[i].why_not == NULL)
			compare_peers(list, i, active);
	}
	free(active);
}

void
cardcheck_fini(struct card_list *list)
{
	free(list->items);
	*list = (struct card_list){0};
}

/* --- saying --- */

char *
cardcheck_devices_new(struct evaluation *evaluation, const char *card)
{
	char *list = calloc(1, DEVICES_MAX_BYTES + 1);
	size_t used = 0;
	if (list == NULL) {
		evaluation->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < evaluation->scan->device_count; i++) {
		const struct scan_device *device = &evaluation->scan->devices[i];
		size_t length = strlen(device->record.device);
		char other[STATE_NAME_SIZE];

		evaluation_card(&device->record, other);
		if (!evaluation_is_watched(device) || strcmp(other, card) != 0 ||
			used + 1 + length > DEVICES_MAX_BYTES)
			continue;
		if (used > 0)
			list[used++] = ',';
		memcpy(list + used, device->record.device, length);
		used += length;
	}
	return list;
}

static const json_t *
say(struct evaluation *evaluation, const struct card_unit *unit, const char *devices, bool healthy)
{
	const char *card = unit->entry->card;
	char *text = healthy ? evaluation_text_new(evaluation,
				       "Card %s healthy: %u active ports meet peer mode %u", card,
				       unit->active, unit->mode)
			     : evaluation_text_new(evaluation,
				       "Card %s has %u active ports, expected %u (peer mode)", card,
				       unit->active, unit->mode);
	if (text == NULL)
		return NULL;
	struct claim claim = {
		.check = check_name(check_state(unit->entry->ethernet)),
		.fatal = !healthy,
		.healthy = healthy,
		.message = text,
		.device = card,
		.role = unit->role,
		.devices = devices,
		.timestamp = evaluation->scan->begin.ts,
	};
	const json_t *said = evaluation_say(evaluation, &claim);
	free(text);
	return said;
}

/* Ports of the card that are not active and have a fatal event of their own; a device or port that is gone counts as such. */
static unsigned
covered_ports(const struct state *state, const struct card_entry *card)
{
	unsigned count = 0;
	for (const struct table_node *node = table_next(&state->ports, NULL); node != NULL;
		node = table_next(&state->ports, node)) {
		const struct port_entry *port = (const struct port_entry *)node;
		count += port->health == PORT_FATAL && port->ethernet == card->ethernet &&
			 strcmp(port->card, card->card) == 0;
	}
	return count;
}

static enum card_sight
look_at(const struct evaluation *evaluation, const struct card_unit *unit)
{
	const struct card_entry *entry = unit->entry;
	uint64_t now_ns = evaluation->scan->begin.boottime_ns;

	if (unit->why_not != NULL)
		return CARD_NOT_JUDGED;
	if (unit->active >= unit->mode)
		return CARD_MEETS;
	if (evaluation->first)
		return CARD_BELOW_FIRST;
	uint64_t below_ns = entry->memory != CARD_FINE && now_ns > entry->below_since_ns
				    ? now_ns - entry->below_since_ns
				    : 0;
	if (below_ns < evaluation->setting->settle_ns)
		return CARD_BELOW_YOUNG;
	return covered_ports(evaluation->state, entry) >= unit->mode - unit->active
		       ? CARD_BELOW_COVERED
		       : CARD_BELOW;
}

static void
judge(struct evaluation *evaluation, const struct card_unit *unit)
{
	struct card_entry *entry = unit->entry;
	enum card_memory before = entry->memory;
	enum card_sight sight = look_at(evaluation, unit);
	enum card_action action = card_step(&entry->memory, sight);
	const json_t *said = NULL;

	/* Also where time has run back, as in a capture put together by hand. */
	if ((before == CARD_FINE && entry->memory != CARD_FINE) ||
		entry->below_since_ns > evaluation->scan->begin.boottime_ns)
		entry->below_since_ns = evaluation->scan->begin.boottime_ns;
	if (entry->memory != before)
		evaluation->state->changed = true;
	if (action == CARD_SAY_NOTHING && !evaluation->setting->explain)
		return;

	char *devices = cardcheck_devices_new(evaluation, entry->card);
	if (devices == NULL)
		return;
	if (action != CARD_SAY_NOTHING)
		said = say(evaluation, unit, devices, action == CARD_SAY_HEALTHY);
	explain_card(evaluation, unit, devices, sight, said);
	free(devices);
}

void
cardcheck_judge(struct evaluation *evaluation, const struct card_list *list)
{
	for (size_t i = 0; i < list->count && !evaluation->waiting; i++) {
		bool ethernet = list->items[i].entry->ethernet;
		if (evaluation_wants(evaluation, ethernet) &&
			evaluation->setting->enabled[check_state(ethernet)])
			judge(evaluation, &list->items[i]);
	}
}

void
cardcheck_baseline(struct evaluation *evaluation, const struct card_list *list, enum check check)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct card_unit *unit = &list->items[i];
		if (check_state(unit->entry->ethernet) != check || unit->why_not != NULL ||
			unit->active < unit->mode)
			continue;
		char *devices = cardcheck_devices_new(evaluation, unit->entry->card);
		if (devices != NULL)
			say(evaluation, unit, devices, true);
		free(devices);
	}
}

bool
cardcheck_is_anomalous(const struct evaluation *evaluation, const struct port_entry *entry)
{
	const struct card_entry *card =
		state_find_card(evaluation->state, entry->card, entry->ethernet);
	return card != NULL && card->memory == CARD_ANOMALOUS;
}
