/* nodes - each node's events by themselves. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "nodes.h"

#include "array.h"
#include "derive.h"
#include "diag.h"
#include "hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
write_finding(void *context, const struct finding *finding)
{
	struct node *node = context;
	char line[REC_EVENT_MAX_BYTES + 1];
	size_t length = derive_format(&node->stream, finding, line);
	/* Of texts that are longer than an event may be. */
	if (length == 0) {
		diag_warn("rule %s: what was found does not fit into an event",
			finding->group->rule->name);
		return 0;
	}
	return node->nodes->write(node->nodes->context, line, length);
}

/* NULL: memory ran out, or there are too many (ENOSPC). */
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
	order_init(&node->order, nodes->lateness_us);
	engine_init(&node->engine, nodes->rules, &nodes->budget, write_finding, node);
	items[nodes->count++] = node;
	return node;
}

static struct node *
find_or_add(struct nodes *nodes, const char *name)
{
	uint64_t hash = hash_words(HASH_START, name, strlen(name));
	for (size_t step = 0, i; (i = map_next(&nodes->by_name, hash, &step)) != MAP_END;)
		if (strcmp(nodes->items[i]->name, name) == 0)
			return nodes->items[i];
	return add(nodes, name, hash);
}

/* Its name is by the earliest event, so that it is the same whatever order they come in. */
static void
begin_stream(struct node *node, const json_t *event)
{
	const char *name = *node->name != '\0' ? node->name : NULL;
	if (!node->has_begun)
		event_stream_init(&node->stream, "correlate", name, NULL,
			match_value(event, "generatedTimestamp"), node->nodes->strategy);
	node->has_begun = true;
}

/* Evaluates what no earlier event can change any more; `all`: what there is. */
static int
evaluate(struct node *node, bool all)
{
	struct order *order = &node->order;
	uint64_t at_us;
	json_t *event;
	int status = 0;
	while (status == 0 && (event = order_next_new(order, all, &at_us)) != NULL) {
		begin_stream(node, event);
		status = engine_accept(&node->engine, at_us, event);
		json_decref(event);
	}
	if (status == 0)
		status = engine_advance(
			&node->engine, all ? order->newest_us : order_settled_us(order));
	return status;
}

int
nodes_accept(struct nodes *nodes, uint64_t at_us, json_t *event)
{
	const char *name = match_value(event, "nodeName");
	struct node *node = find_or_add(nodes, name != NULL ? name : "");
	if (node == NULL && errno == ENOSPC) {
		nodes->refused++;
		return 0;
	}
	if (node == NULL || order_add(&node->order, at_us, event) < 0)
		return -1;
	return evaluate(node, false);
}

int
nodes_end(struct nodes *nodes)
{
	int status = 0;
	for (size_t i = 0; i < nodes->count && status == 0; i++)
		status = evaluate(nodes->items[i], true);
	return status;
}

uint64_t
nodes_late(const struct nodes *nodes)
{
	uint64_t late = 0;
	for (size_t i = 0; i < nodes->count; i++)
		late += nodes->items[i]->order.late;
	return late;
}

void
nodes_fini(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->count; i++) {
		order_fini(&nodes->items[i]->order);
		engine_fini(&nodes->items[i]->engine);
		free(nodes->items[i]);
	}
	free(nodes->items);
	map_fini(&nodes->by_name);
}
