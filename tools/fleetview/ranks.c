/* ranks - ranks switches, nodes or ports of a fleet, most faults first. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks.h"

#include "../blastradius/reports.h"
#include "array.h"
#include "hash.h"
#include "moment.h"

#include <stdlib.h>
#include <string.h>

const char *
ranks_switch(const struct topology *topology, const char *node, const struct sighting *event)
{
	const char *blamed = board_switch(event);
	if (blamed != NULL)
		return blamed;
	const struct topology_port port = {node, board_device(event), board_port(event)};
	return topology_find(topology, &port, sighting_metadata(event, "netdev"));
}

/* --- keys --- */

/* Set the key of the rank that an event of a node counts for. Return false if it counts for
 * none. */
static bool
set_key(struct rank *key, enum ranks_kind kind, const struct topology *topology, const char *node,
	const struct sighting *event)
{
	*key = (struct rank){.name = node, .device = "", .port = "", .since_us = UINT64_MAX};
	switch (kind) {
	case RANKS_SWITCHES:
		key->name = ranks_switch(topology, node, event);
		return key->name != NULL;
	case RANKS_PORTS:
		key->device = board_device(event);
		key->port = board_port(event);
		return *key->device != '\0';
	default:
		return board_switch(event) == NULL;
	}
}

static bool
is_same(const struct rank *a, const struct rank *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->device, b->device) == 0 &&
	       strcmp(a->port, b->port) == 0;
}

static uint64_t
hash_of(const struct rank *key)
{
	uint64_t hash = HASH_START;
	for (size_t i = 0; i < 3; i++) {
		const char *text = i == 0 ? key->name : i == 1 ? key->device : key->port;
		hash = hash_words(hash, text, strlen(text) + 1);
	}
	return hash;
}

/* Return NULL when memory ran out. */
static struct rank *
find_or_add(struct ranks *ranks, const struct rank *key)
{
	uint64_t hash = hash_of(key);
	for (size_t step = 0, i; (i = map_next(&ranks->by_key, hash, &step)) != MAP_END;)
		if (is_same(&ranks->items[i], key))
			return &ranks->items[i];
	struct rank *items =
		array_grown(ranks->items, ranks->count, &ranks->capacity, sizeof *items);
	if (items == NULL)
		return NULL;
	ranks->items = items;
	if (map_add(&ranks->by_key, hash, ranks->count) < 0)
		return NULL;
	items[ranks->count] = *key;
	return &items[ranks->count++];
}

/* --- counts --- */

static bool
is_about_same_port(const struct sighting *a, const struct sighting *b)
{
	return strcmp(board_device(a), board_device(b)) == 0 &&
	       strcmp(board_port(a), board_port(b)) == 0;
}

static bool
is_worse(const struct board_condition *a, const struct board_condition *b)
{
	return a->event->is_fatal != b->event->is_fatal ? a->event->is_fatal
							: a->since_us < b->since_us;
}

/* Count a condition. The conditions of a node must be counted in a row. */
static void
count(struct rank *rank, const struct board_node *node, size_t index, bool is_new_port)
{
	const struct board_condition *condition = &node->conditions[index];
	rank->nodes += rank->node != node && !node->is_switch;
	rank->node = node;
	rank->ports += is_new_port;
	rank->standing++;
	rank->fatal += condition->event->is_fatal;
	if (condition->since_us < rank->since_us)
		rank->since_us = condition->since_us;
	if (rank->worst == NULL || is_worse(condition, rank->worst))
		rank->worst = condition;
}

/* Return true if no earlier active condition is about the same port and counts for the same rank.
 * Not every event names the port's network interface, which leads to its switch. */
static bool
is_new_port(const struct board_node *node, size_t index, const struct rank *key,
	enum ranks_kind kind, const struct topology *topology, uint64_t now_us)
{
	struct rank other;
	const struct sighting *event = node->conditions[index].event;
	if (*board_device(event) == '\0')
		return false;
	for (size_t i = 0; i < index; i++) {
		const struct sighting *before = node->conditions[i].event;
		if (board_stands(&node->conditions[i], now_us) &&
			is_about_same_port(before, event) &&
			set_key(&other, kind, topology, node->name, before) && is_same(&other, key))
			return false;
	}
	return true;
}

/* --- order --- */

static int
by_most(size_t a, size_t b)
{
	return (a < b) - (a > b);
}

static int
compare(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;
	int order = by_most(a->fatal, b->fatal);
	if (order == 0)
		order = by_most(a->standing, b->standing);
	if (order == 0)
		order = by_most(a->recent, b->recent);
	if (order == 0)
		order = (a->since_us > b->since_us) - (a->since_us < b->since_us);
	if (order == 0)
		order = strcmp(a->name, b->name);
	if (order == 0)
		order = strcmp(a->device, b->device);
	return order != 0 ? order : strcmp(a->port, b->port);
}

/* --- ranks --- */

int
ranks_make(struct ranks *out, enum ranks_kind kind, const struct board *board,
	const struct topology *topology, uint64_t now_us)
{
	struct rank key, *rank;
	uint64_t recent_us = moment_earlier(now_us, RANKS_RECENT_US);
	*out = (struct ranks){.items = NULL};
	for (size_t i = 0; i < board->node_count; i++) {
		const struct board_node *node = board->nodes[i];
		for (size_t j = 0; j < node->count; j++) {
			if (!board_stands(&node->conditions[j], now_us) ||
				!set_key(&key, kind, topology, node->name,
					node->conditions[j].event))
				continue;
			if ((rank = find_or_add(out, &key)) == NULL)
				return -1;
			count(rank, node, j, is_new_port(node, j, &key, kind, topology, now_us));
		}
	}
	for (size_t i = 0; i < board->event_count; i++) {
		const struct board_event *event = &board->events[i];
		if (event->at_us <= recent_us ||
			!set_key(&key, kind, topology, event->node->name, event->event))
			continue;
		if ((rank = find_or_add(out, &key)) == NULL)
			return -1;
		rank->recent++;
	}
	if (out->count > 0)
		qsort(out->items, out->count, sizeof *out->items, compare);
	return 0;
}

void
ranks_fini(struct ranks *ranks)
{
	map_fini(&ranks->by_key);
	free(ranks->items);
	*ranks = (struct ranks){.items = NULL};
}
