/* heap - priority queue ordered by time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

#include "array.h"

#include <stdbool.h>
#include <stdlib.h>

static bool
is_before(const struct heap_node *a, const struct heap_node *b)
{
	if (a->at_us != b->at_us)
		return a->at_us < b->at_us;
	return a->rank != b->rank ? a->rank < b->rank : a->second_rank < b->second_rank;
}

static void
put(struct heap *heap, size_t place, struct heap_node *node)
{
	heap->nodes[place] = node;
	node->place = place;
}

/* Move the node up from the free index `place` until its parent is not later. */
static void
rise(struct heap *heap, size_t place, struct heap_node *node)
{
	while (place > 0) {
		size_t above = (place - 1) / 2;
		if (!is_before(node, heap->nodes[above]))
			break;
		put(heap, place, heap->nodes[above]);
		place = above;
	}
	put(heap, place, node);
}

/* Move the node down until its children are not earlier. */
static void
sink(struct heap *heap, size_t place, struct heap_node *node)
{
	for (;;) {
		size_t below = 2 * place + 1;
		if (below + 1 < heap->count &&
			is_before(heap->nodes[below + 1], heap->nodes[below]))
			below++;
		if (below >= heap->count || !is_before(heap->nodes[below], node))
			break;
		put(heap, place, heap->nodes[below]);
		place = below;
	}
	put(heap, place, node);
}

int
heap_add(struct heap *heap, struct heap_node *node)
{
	struct heap_node **nodes =
		array_grown(heap->nodes, heap->count, &heap->capacity, sizeof(struct heap_node *));
	if (nodes == NULL)
		return -1;
	heap->nodes = nodes;
	heap->count++;
	rise(heap, heap->count - 1, node);
	return 0;
}

struct heap_node *
heap_first(const struct heap *heap)
{
	return heap->count > 0 ? heap->nodes[0] : NULL;
}

struct heap_node *
heap_due(const struct heap *heap, uint64_t now_us)
{
	struct heap_node *first = heap_first(heap);
	bool is_due = first != NULL && first->at_us <= now_us && first->at_us != UINT64_MAX;
	return is_due ? first : NULL;
}

/* Put a node at the free index `place`, then move it to its position. */
static void
settle(struct heap *heap, size_t place, struct heap_node *node)
{
	if (place > 0 && is_before(node, heap->nodes[(place - 1) / 2]))
		rise(heap, place, node);
	else
		sink(heap, place, node);
}

void
heap_remove(struct heap *heap, struct heap_node *node)
{
	struct heap_node *last = heap->nodes[--heap->count];
	if (last != node)
		settle(heap, node->place, last);
}

void
heap_move(struct heap *heap, struct heap_node *node, uint64_t at_us)
{
	node->at_us = at_us;
	settle(heap, node->place, node);
}

void
heap_fini(struct heap *heap)
{
	free(heap->nodes);
	*heap = (struct heap){0};
}
