/* nodes - keeps the events of each node separate and in order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "nodes.h"

#include "array.h"
#include "hash.h"
#include "moment.h"
#include "num.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
report(void *context, const struct finding *finding)
{
	struct node *node = context;
	return node->nodes->found(node->nodes->context, node, finding);
}

int
node_owe(struct node *node, const char *check)
{
	size_t i;
	const json_t *owed;
	json_array_foreach (node->owed, i, owed)
		if (strcmp(json_string_value(owed), check) == 0)
			return 0;
	if (node->owed == NULL) {
		node->owed = json_array();
		node->nodes->owing++;
	}
	return json_array_append_new(node->owed, json_string(check));
}

void
node_settle_owed(struct node *node)
{
	node->nodes->owing -= node->owed != NULL;
	json_decref(node->owed);
	node->owed = NULL;
}

/* Return NULL with errno as nodes_find_or_add(). */
static struct node *
add(struct nodes *nodes, const char *name, uint64_t hash)
{
	if (nodes->count == NODES_MAX) {
		errno = ENOSPC;
		return NULL;
	}
	struct node **items =
		array_grown(nodes->items, nodes->count, &nodes->capacity, sizeof(struct node *));
	if (items == NULL)
		return NULL;
	nodes->items = items;
	struct node *node = calloc(1, sizeof *node + strlen(name) + 1);
	if (node == NULL || map_add(&nodes->by_name, hash, nodes->count) < 0) {
		free(node);
		return NULL;
	}
	strcpy(node->name, name);
	node->nodes = nodes;
	order_init(&node->order, nodes->lateness_us, nodes->wait_us);
	engine_init(&node->engine, nodes->rules, &nodes->budget, report, node);
	node->engine.executes =
		strcmp(nodes->strategy, event_strategies[EVENT_EXECUTE_REMEDIATION]) == 0;
	items[nodes->count++] = node;
	if (nodes->owes_all)
		for (size_t i = 0; i < nodes->rules->count; i++)
			if (node_owe(node, rules_check(&nodes->rules->items[i])) < 0)
				return NULL;
	return node;
}

static struct node *
find(const struct nodes *nodes, const char *name, uint64_t hash)
{
	for (size_t step = 0, i; (i = map_next(&nodes->by_name, hash, &step)) != MAP_END;)
		if (strcmp(nodes->items[i]->name, name) == 0)
			return nodes->items[i];
	return NULL;
}

struct node *
nodes_find_or_add(struct nodes *nodes, const char *name)
{
	uint64_t hash = hash_text(HASH_START, name);
	struct node *node = find(nodes, name, hash);
	return node != NULL ? node : add(nodes, name, hash);
}

/* --- too many nodes --- */

static void
free_node(struct node *node)
{
	order_fini(&node->order);
	engine_fini(&node->engine);
	json_decref(node->owed);
	free(node);
}

static bool
is_idle(const struct node *node)
{
	return node->engine.groups.count == 0 && node->order.waiting.count == 0 &&
	       node->owed == NULL;
}

/* Return the index of the idle node that has been silent for longest, which is probably gone;
 * `count` if no node is idle. */
static size_t
find_idle(const struct nodes *nodes)
{
	size_t found = nodes->count;
	for (size_t i = 0; i < nodes->count; i++)
		if (is_idle(nodes->items[i]) &&
			(found == nodes->count ||
				nodes->items[i]->heard_us < nodes->items[found]->heard_us))
			found = i;
	return found;
}

/* Remove a node; the last one takes its place. */
static void
drop(struct nodes *nodes, size_t index)
{
	size_t last = --nodes->count;
	uint64_t last_hash = hash_text(HASH_START, nodes->items[last]->name);
	map_remove(&nodes->by_name, hash_text(HASH_START, nodes->items[index]->name), index);
	free_node(nodes->items[index]);
	if (index == last)
		return;
	map_remove(&nodes->by_name, last_hash, last);
	nodes->items[index] = nodes->items[last];
	/* Cannot fail: the entry just removed left room. */
	(void)map_add(&nodes->by_name, last_hash, index);
}

/* If the node is new, make room for it. The search takes a while, so a failed one is not repeated
 * at once. */
static void
make_room(struct nodes *nodes, uint64_t at_us, const char *name)
{
	if (nodes->count < NODES_MAX || at_us < nodes->full_until_us ||
		find(nodes, name, hash_text(HASH_START, name)) != NULL)
		return;
	size_t idle = find_idle(nodes);
	if (idle < nodes->count)
		drop(nodes, idle);
	else
		nodes->full_until_us = moment_later(at_us, NUM_NS_PER_S / NUM_NS_PER_US);
}

/* --- events --- */

/* Name the stream after the earliest event, so that the name does not depend on the order of
 * arrival. */
static void
begin_stream(struct node *node, const struct sighting *event)
{
	const char *name = *node->name != '\0' ? node->name : NULL;
	if (!node->has_begun)
		event_stream_init(&node->stream, "correlate", name, NULL,
			event->fields[SIGHTING_STAMP], node->nodes->strategy);
	node->has_begun = true;
}

/* Evaluate the events up to `last_us`. */
static int
evaluate_events(struct node *node, uint64_t last_us)
{
	uint64_t at_us;
	struct sighting *event;
	int status = 0;
	while (status == 0 && (event = order_next_new(&node->order, last_us, &at_us)) != NULL) {
		begin_stream(node, event);
		status = engine_accept(&node->engine, at_us, event);
		sighting_release(event);
	}
	return status;
}

/* Evaluate the events up to `last_us` and the groups due by then. */
static int
evaluate(struct node *node, uint64_t last_us)
{
	int status = evaluate_events(node, last_us);
	return status == 0 ? engine_advance(&node->engine, last_us) : status;
}

/* Evaluate the events that no earlier event can precede any more. */
static int
evaluate_settled(struct node *node)
{
	uint64_t last_us = order_settled_us(&node->order);
	return evaluate(node, last_us < node->nodes->last_us ? last_us : node->nodes->last_us);
}

int
nodes_accept(struct nodes *nodes, uint64_t at_us, struct sighting *event)
{
	const char *name = text_or_empty(event->fields[SIGHTING_NODE]);
	make_room(nodes, at_us, name);
	struct node *node = nodes_find_or_add(nodes, name);
	if (node == NULL && errno == ENOSPC) {
		nodes->refused++;
		return 0;
	}
	if (node == NULL)
		return -1;
	node->heard_us = at_us;
	uint64_t late_before = node->order.late;
	if (order_add(&node->order, at_us, event) < 0)
		return -1;
	nodes->late += node->order.late - late_before;
	return evaluate_settled(node);
}

int
nodes_advance(struct nodes *nodes, uint64_t now_us)
{
	int status = 0;
	for (size_t i = 0; i < nodes->count && status == 0; i++) {
		order_advance(&nodes->items[i]->order, now_us);
		status = evaluate_settled(nodes->items[i]);
	}
	return status;
}

int
nodes_jump(struct nodes *nodes, uint64_t from_us, uint64_t to_us)
{
	int status = 0;
	nodes->last_us = MOMENT_NEVER;
	nodes->full_until_us = 0;
	for (size_t i = 0; i < nodes->count && status == 0; i++) {
		struct node *node = nodes->items[i];
		status = evaluate_events(node, from_us);
		engine_jump(&node->engine, to_us);
		order_restart(&node->order, to_us);
	}
	return status;
}

uint64_t
nodes_next_us(const struct nodes *nodes)
{
	uint64_t next_us = MOMENT_NEVER;
	for (size_t i = 0; i < nodes->count; i++) {
		const struct node *node = nodes->items[i];
		const struct heap_node *waiting = heap_first(&node->order.waiting);
		const struct heap_node *due = heap_first(&node->engine.groups.due);
		if (waiting != NULL && waiting->at_us < next_us)
			next_us = waiting->at_us;
		if (due != NULL && due->at_us < next_us)
			next_us = due->at_us;
	}
	return moment_later(next_us, nodes->wait_us);
}

static int
end_node(struct node *node)
{
	int status = evaluate_events(node, MOMENT_NEVER);
	return status == 0 ? engine_advance(&node->engine, node->order.newest_us) : status;
}

int
nodes_end(struct nodes *nodes)
{
	int status = 0;
	for (size_t i = 0; i < nodes->count && status == 0; i++)
		status = end_node(nodes->items[i]);
	return status;
}

int
nodes_report_open(struct nodes *nodes)
{
	int status = 0;
	for (size_t i = 0; i < nodes->count && status == 0; i++)
		status = engine_report_open(&nodes->items[i]->engine);
	return status;
}

void
nodes_clear(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->count; i++)
		free_node(nodes->items[i]);
	nodes->count = nodes->owing = 0;
	map_clear(&nodes->by_name);
}

void
nodes_fini(struct nodes *nodes)
{
	nodes_clear(nodes);
	free(nodes->items);
	map_fini(&nodes->by_name);
}
