/* state - what ctreval remembers of ports, devices and cards between scans. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include "num.h"
#include "strbuf.h"
#include "utf8.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
state_copy(char *field, size_t size, const char *text)
{
	size_t length = text != NULL ? strlen(text) : 0;
	if (length >= size)
		length = utf8_cut(text, length, size - 1);
	if (length > 0)
		memcpy(field, text, length);
	field[length] = '\0';
}

void
state_report(struct said *said, bool fatal, const char *code)
{
	/* `code` may point to said->code. */
	struct said now = {.stands = true, .fatal = fatal};
	state_copy(now.code, sizeof now.code, code);
	*said = now;
}

void
state_retract(struct said *said)
{
	*said = (struct said){.stands = false};
}

static void
rename_said(struct said *said, const char *old_id, const char *new_id)
{
	if (strcmp(said->id, old_id) == 0)
		state_copy(said->id, sizeof said->id, new_id);
}

void
state_rename_event(struct state *state, const char *old_id, const char *new_id)
{
	table_foreach (&state->ports, struct port_entry, port) {
		rename_said(&port->state_said, old_id, new_id);
		rename_said(&port->gone_said, old_id, new_id);
		for (size_t i = 0; i < port->counter_count; i++) {
			struct breach *breach = &port->counters[i].breach;
			if (strcmp(breach->id, old_id) == 0)
				state_copy(breach->id, sizeof breach->id, new_id);
		}
	}
	table_foreach (&state->devices, struct device_entry, device) {
		rename_said(&device->gone_said, old_id, new_id);
		rename_said(&device->unreadable_said, old_id, new_id);
	}
	table_foreach (&state->cards, struct card_entry, card)
		rename_said(&card->said, old_id, new_id);
	table_foreach (&state->chardevs, struct chardev_entry, chardev)
		rename_said(&chardev->said, old_id, new_id);
}

void
state_init(struct state *state, size_t counter_count)
{
	*state = (struct state){.counter_count = counter_count};
}

static void
fini_port(struct table_node *node)
{
	struct port_entry *entry = (struct port_entry *)node;
	for (size_t i = 0; i < entry->counter_count; i++)
		free(entry->counters[i].breach.message);
}

void
state_free_orphan(struct orphan *orphan)
{
	free(orphan->name);
	free(orphan->breach.message);
	free(orphan);
}

void
state_free_unplaced(struct unplaced *unplaced)
{
	free(unplaced->name);
	free(unplaced->memory.breach.message);
	free(unplaced);
}

void
state_fini(struct state *state)
{
	table_fini(&state->ports, fini_port);
	table_fini(&state->devices, NULL);
	table_fini(&state->cards, NULL);
	table_fini(&state->planes, NULL);
	table_fini(&state->chardevs, NULL);
	table_fini(&state->identities, NULL);
	for (struct orphan *orphan = state->orphans, *next; orphan != NULL; orphan = next) {
		next = orphan->next;
		state_free_orphan(orphan);
	}
	for (struct unplaced *unplaced = state->unplaced, *next; unplaced != NULL;
		unplaced = next) {
		next = unplaced->next;
		state_free_unplaced(unplaced);
	}
	free(state->scope);
	*state = (struct state){0};
}

void
state_owe_baselines(struct state *state, bool owed)
{
	for (enum check check = 0; check < CHECK_N; check++)
		state->baseline_owed[check] = owed;
	state->pollstall.owed = owed;
}

bool
state_owes_baseline(const struct state *state)
{
	for (enum check check = 0; check < CHECK_N; check++) {
		if (state->baseline_owed[check] || state->clear_owed[check])
			return true;
	}
	table_foreach (&state->devices, const struct device_entry, entry) {
		if (entry->baseline_owed || entry->clear_owed)
			return true;
	}
	return false;
}

void
state_reset(struct state *state)
{
	size_t counter_count = state->counter_count;
	state_fini(state);
	state_init(state, counter_count);
}

/* --- all entries --- */

static void
remove_entry(struct state *state, struct table *table, struct table_node *node)
{
	table_remove(table, node);
	free(node);
	state->changed = true;
}

/* --- ports --- */

static const char *
port_key(char key[TABLE_KEY_SIZE], const char *device, long long number)
{
	static_assert(STATE_NAME_SIZE + NUM_U64_SIZE <= TABLE_KEY_SIZE, "room for both");
	size_t length = strnlen(device, STATE_NAME_SIZE - 1);

	memcpy(key, device, length);
	key[length] = ':';
	num_format_u64((uint64_t)number, key + length + 1);
	return key;
}

struct port_entry *
state_find_port(const struct state *state, const char *device, long long number)
{
	char key[TABLE_KEY_SIZE];
	return table_find(&state->ports, port_key(key, device, number));
}

struct port_entry *
state_find_or_add_port(struct state *state, const char *device, long long number)
{
	char key[TABLE_KEY_SIZE];
	struct port_entry *entry = table_find(&state->ports, port_key(key, device, number));
	if (entry != NULL)
		return entry;
	entry = table_add(&state->ports, key,
		sizeof *entry + state->counter_count * sizeof entry->counters[0]);
	if (entry == NULL)
		return NULL;
	state_copy(entry->device, sizeof entry->device, device);
	entry->number = number;
	entry->counter_count = state->counter_count;
	state->changed = true;
	return entry;
}

bool
state_port_is_on_card(const struct port_entry *port, const struct card_entry *card)
{
	return port->layer == card->layer && strcmp(port->card, card->card) == 0;
}

bool
state_port_is_reported(const struct port_entry *entry)
{
	if (entry->state_said.stands || entry->gone_said.stands ||
		entry->rate.memory == BELOW_REPORTED || entry->flap.flapping)
		return true;
	for (size_t i = 0; i < entry->counter_count; i++) {
		if (entry->counters[i].saturation == SATURATION_REPORTED)
			return true;
	}
	return false;
}

void
state_lose_port(struct port_entry *entry)
{
	entry->health = port_lost(entry->health);
	entry->hold = (struct hold_memory){0};
}

void
state_remove_port(struct state *state, struct port_entry *entry)
{
	fini_port(&entry->node);
	remove_entry(state, &state->ports, &entry->node);
}

/* --- devices --- */

struct device_entry *
state_find_device(const struct state *state, const char *device)
{
	return table_find(&state->devices, device);
}

struct device_entry *
state_find_or_add_device(struct state *state, const char *device)
{
	struct device_entry *entry = table_find(&state->devices, device);
	if (entry != NULL)
		return entry;
	entry = table_add(&state->devices, device, sizeof *entry);
	if (entry == NULL)
		return NULL;
	state->changed = true;
	return entry;
}

void
state_remove_device(struct state *state, struct device_entry *entry)
{
	remove_entry(state, &state->devices, &entry->node);
}

static const char *
chardev_key(char key[TABLE_KEY_SIZE], enum chardev_kind kind, const char *device, long long number)
{
	snprintf(key, TABLE_KEY_SIZE, "%s/%.*s_%lld", chardev_name(kind), STATE_NAME_SIZE - 1,
		device, number);
	return key;
}

static void
rename_chardevs(struct state *state, const char *from, const char *to)
{
	char key[TABLE_KEY_SIZE];

	table_foreach_safe (&state->chardevs, struct chardev_entry, chardev, next) {
		if (strcmp(chardev->device, from) != 0)
			continue;
		state_copy(chardev->device, sizeof chardev->device, to);
		table_rekey(&state->chardevs, &chardev->node,
			chardev_key(key, chardev->kind, to, chardev->number));
	}
}

void
state_rename_device(struct state *state, struct device_entry *entry, const char *name)
{
	char key[TABLE_KEY_SIZE];

	table_foreach_safe (&state->ports, struct port_entry, port, next) {
		if (strcmp(port->device, entry->node.key) != 0)
			continue;
		state_copy(port->device, sizeof port->device, name);
		table_rekey(&state->ports, &port->node, port_key(key, name, port->number));
	}
	rename_chardevs(state, entry->node.key, name);
	table_rekey(&state->devices, &entry->node, name);
	state->changed = true;
}

/* --- cards --- */

static const char *
card_key(char key[TABLE_KEY_SIZE], const char *card, enum layer layer)
{
	const char *check = check_name(check_state(layer));
	struct strbuf text;

	strbuf_init(&text, key, TABLE_KEY_SIZE);
	strbuf_add(&text, card, strnlen(card, STATE_NAME_SIZE - 1));
	strbuf_add(&text, " ", 1);
	strbuf_add(&text, check, strlen(check));
	return key;
}

struct card_entry *
state_find_card(const struct state *state, const char *card, enum layer layer)
{
	char key[TABLE_KEY_SIZE];
	return table_find(&state->cards, card_key(key, card, layer));
}

struct card_entry *
state_find_or_add_card(struct state *state, const char *card, enum layer layer)
{
	char key[TABLE_KEY_SIZE];
	struct card_entry *entry = table_find(&state->cards, card_key(key, card, layer));
	if (entry != NULL)
		return entry;
	entry = table_add(&state->cards, key, sizeof *entry);
	if (entry == NULL)
		return NULL;
	state_copy(entry->card, sizeof entry->card, card);
	entry->layer = layer;
	return entry;
}

void
state_remove_card(struct state *state, struct card_entry *entry)
{
	remove_entry(state, &state->cards, &entry->node);
}

/* --- planes --- */

struct plane_entry *
state_find_or_add_plane(struct state *state, const char *device, long long number)
{
	char key[TABLE_KEY_SIZE];
	struct plane_entry *entry = table_find(&state->planes, port_key(key, device, number));
	if (entry != NULL)
		return entry;
	entry = table_add(&state->planes, key, sizeof *entry);
	if (entry == NULL)
		return NULL;
	state_copy(entry->device, sizeof entry->device, device);
	entry->number = number;
	state->changed = true;
	return entry;
}

void
state_remove_plane(struct state *state, struct plane_entry *entry)
{
	remove_entry(state, &state->planes, &entry->node);
}

/* --- character devices --- */

struct chardev_entry *
state_find_chardev(
	const struct state *state, enum chardev_kind kind, const char *device, long long number)
{
	char key[TABLE_KEY_SIZE];
	return table_find(&state->chardevs, chardev_key(key, kind, device, number));
}

struct chardev_entry *
state_find_or_add_chardev(
	struct state *state, enum chardev_kind kind, const char *device, long long number)
{
	char key[TABLE_KEY_SIZE];
	struct chardev_entry *entry =
		table_find(&state->chardevs, chardev_key(key, kind, device, number));
	if (entry != NULL)
		return entry;
	entry = table_add(&state->chardevs, key, sizeof *entry);
	if (entry == NULL)
		return NULL;
	state_copy(entry->device, sizeof entry->device, device);
	entry->number = number;
	entry->kind = kind;
	entry->name = chardev_name(kind);
	state->changed = true;
	return entry;
}

void
state_remove_chardev(struct state *state, struct chardev_entry *entry)
{
	remove_entry(state, &state->chardevs, &entry->node);
}

/* --- identities --- */

struct identity_entry *
state_find_identity(const struct state *state, const char *place)
{
	return table_find(&state->identities, place);
}

struct identity_entry *
state_find_or_add_identity(struct state *state, const char *place)
{
	struct identity_entry *entry = table_find(&state->identities, place);
	return entry != NULL ? entry : table_add(&state->identities, place, sizeof *entry);
}

/* The keys of the device's ports are its key, a slash and the port number. */
void
state_move_identity(struct state *state, struct identity_entry *entry, const char *place)
{
	char from[TABLE_KEY_SIZE], to[TABLE_KEY_SIZE];
	size_t length = strlen(entry->node.key);
	strcpy(from, entry->node.key);
	table_foreach_safe (&state->identities, struct identity_entry, moved, next) {
		const char *behind = moved->node.key + length;
		if (strncmp(moved->node.key, from, length) != 0 ||
			(*behind != '\0' && *behind != '/'))
			continue;
		snprintf(to, sizeof to, "%.*s%s", STATE_NAME_SIZE - 1, place, behind);
		if (table_find(&state->identities, to) == NULL)
			table_rekey(&state->identities, &moved->node, to);
	}
	state->changed = true;
}

/* --- counters without a port --- */

struct unplaced *
state_add_unplaced(struct state *state, const char *interface, const char *name)
{
	struct unplaced *unplaced = calloc(1, sizeof *unplaced);
	if (unplaced == NULL || (unplaced->name = strdup(name)) == NULL) {
		free(unplaced);
		return NULL;
	}
	state_copy(unplaced->interface, sizeof unplaced->interface, interface);
	struct unplaced **end =
		state->last_unplaced != NULL ? &state->last_unplaced->next : &state->unplaced;
	while (*end != NULL)
		end = &(*end)->next;
	*end = unplaced;
	state->last_unplaced = unplaced;
	return unplaced;
}

/* --- orphans --- */

int
state_add_orphan(struct state *state, const char *device, long long port, const char *name,
	bool saturated, struct breach *breach)
{
	struct orphan *orphan = calloc(1, sizeof *orphan);
	if (orphan == NULL || (orphan->name = strdup(name)) == NULL) {
		free(orphan);
		return -1;
	}
	state_copy(orphan->device, sizeof orphan->device, device);
	orphan->port = port;
	orphan->saturated = saturated;
	orphan->breach = *breach;
	breach->message = NULL;

	struct orphan **end = &state->orphans;
	while (*end != NULL)
		end = &(*end)->next;
	*end = orphan;
	return 0;
}
