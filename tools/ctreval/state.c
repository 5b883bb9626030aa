/* state - what ctreval remembers of ports, devices and cards from one scan to the next. */
#include "state.h"

#include "utf8.h"

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
state_fini(struct state *state)
{
	table_fini(&state->ports, fini_port);
	table_fini(&state->devices, NULL);
	table_fini(&state->cards, NULL);
	for (struct orphan *orphan = state->orphans, *next; orphan != NULL; orphan = next) {
		next = orphan->next;
		state_free_orphan(orphan);
	}
	free(state->scope);
	*state = (struct state){0};
}

void
state_reset(struct state *state)
{
	size_t counter_count = state->counter_count;
	state_fini(state);
	state_init(state, counter_count);
}

/* --- ports --- */

static const char *
port_key(char key[TABLE_KEY_SIZE], const char *device, long long number)
{
	snprintf(key, TABLE_KEY_SIZE, "%.*s:%lld", STATE_NAME_SIZE - 1, device, number);
	return key;
}

struct port_entry *
state_find_port(const struct state *state, const char *device, long long number)
{
	char key[TABLE_KEY_SIZE];
	return table_find(&state->ports, port_key(key, device, number));
}

struct port_entry *
state_port(struct state *state, const char *device, long long number)
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
state_port_is_reported(const struct port_entry *entry)
{
	if (port_is_reported(entry->health) || entry->rate == RATE_SLOW)
		return true;
	for (size_t i = 0; i < entry->counter_count; i++) {
		if (entry->counters[i].saturation == SATURATION_REPORTED)
			return true;
	}
	return false;
}

void
state_remove_port(struct state *state, struct port_entry *entry)
{
	table_remove(&state->ports, &entry->node);
	fini_port(&entry->node);
	free(entry);
	state->changed = true;
}

/* --- devices --- */

struct device_entry *
state_find_device(const struct state *state, const char *device)
{
	return table_find(&state->devices, device);
}

struct device_entry *
state_device(struct state *state, const char *device)
{
	struct device_entry *entry = table_find(&state->devices, device);
	if (entry != NULL)
		return entry;
	state->changed = true;
	return table_add(&state->devices, device, sizeof *entry);
}

void
state_remove_device(struct state *state, struct device_entry *entry)
{
	table_remove(&state->devices, &entry->node);
	free(entry);
	state->changed = true;
}

void
state_rename_device(struct state *state, struct device_entry *entry, const char *name)
{
	struct table_node *next;
	char key[TABLE_KEY_SIZE];

	for (struct table_node *node = table_next(&state->ports, NULL); node != NULL; node = next) {
		struct port_entry *port = (struct port_entry *)node;
		next = table_next(&state->ports, node);
		if (strcmp(port->device, entry->node.key) != 0)
			continue;
		state_copy(port->device, sizeof port->device, name);
		table_rekey(&state->ports, node, port_key(key, name, port->number));
	}
	table_rekey(&state->devices, &entry->node, name);
	state->changed = true;
}

/* --- cards --- */

static const char *
card_key(char key[TABLE_KEY_SIZE], const char *card, bool ethernet)
{
	snprintf(key, TABLE_KEY_SIZE, "%.*s %s", STATE_NAME_SIZE - 1, card,
		check_name(check_state(ethernet)));
	return key;
}

struct card_entry *
state_find_card(const struct state *state, const char *card, bool ethernet)
{
	char key[TABLE_KEY_SIZE];
	return table_find(&state->cards, card_key(key, card, ethernet));
}

struct card_entry *
state_card(struct state *state, const char *card, bool ethernet)
{
	char key[TABLE_KEY_SIZE];
	struct card_entry *entry = table_find(&state->cards, card_key(key, card, ethernet));
	if (entry != NULL)
		return entry;
	entry = table_add(&state->cards, key, sizeof *entry);
	if (entry == NULL)
		return NULL;
	state_copy(entry->card, sizeof entry->card, card);
	entry->ethernet = ethernet;
	return entry;
}

void
state_remove_card(struct state *state, struct card_entry *entry)
{
	table_remove(&state->cards, &entry->node);
	free(entry);
	state->changed = true;
}

/* --- the rest --- */

int
state_add_orphan(struct state *state, const char *device, long long port, const char *name,
	struct breach *breach)
{
	struct orphan *orphan = calloc(1, sizeof *orphan);
	if (orphan == NULL || (orphan->name = strdup(name)) == NULL) {
		free(orphan);
		return -1;
	}
	state_copy(orphan->device, sizeof orphan->device, device);
	orphan->port = port;
	orphan->saturated = breach == NULL;
	if (breach != NULL) {
		orphan->breach = *breach;
		breach->message = NULL;
	}

	struct orphan **end = &state->orphans;
	while (*end != NULL)
		end = &(*end)->next;
	*end = orphan;
	return 0;
}

void
state_forget_boot(struct state *state)
{
	char *scope = state->scope;
	uint64_t stamp = state->stamp;

	state->scope = NULL;
	size_t counter_count = state->counter_count;
	state_fini(state);
	state_init(state, counter_count);
	state->scope = scope;
	state->stamp = stamp;
	state->changed = true;
}

/* A port that was reported keeps that; of the others only the counters stay. */
static void
forget_port(struct port_entry *entry)
{
	if (!port_is_reported(entry->health))
		entry->health = PORT_NEW;
	if (entry->rate == RATE_WAITING)
		entry->rate = RATE_FINE;
	entry->known = false;
	entry->missing = 0;
}

void
state_forget_scope(struct state *state)
{
	struct table_node *next;

	for (struct table_node *node = table_next(&state->ports, NULL); node != NULL;
		node = table_next(&state->ports, node))
		forget_port((struct port_entry *)node);
	for (struct table_node *node = table_next(&state->devices, NULL); node != NULL;
		node = table_next(&state->devices, node))
		((struct device_entry *)node)->known = false;
	for (struct table_node *node = table_next(&state->cards, NULL); node != NULL; node = next) {
		struct card_entry *entry = (struct card_entry *)node;
		next = table_next(&state->cards, node);
		if (entry->memory != CARD_ANOMALOUS)
			state_remove_card(state, entry);
	}
	state->settled = false;
	state->waited = 0;
	state->changed = true;
}
