/* heap - priority queue ordered by time; finds the earliest node at once. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_HEAP_H
#define NHM_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* First member of every item. */
struct heap_node {
	uint64_t at_us; /* the item's time */
	/* order of nodes with the same time, whatever the order of insertion: first by rank, then
	 * by second_rank */
	uint64_t rank, second_rank;
	size_t place; /* index in the heap; private */
};

/* All zeros: empty. */
struct heap {
	struct heap_node **nodes;
	size_t count, capacity;
};

/* Add a node. Return 0, or -1 with errno when memory ran out. */
int heap_add(struct heap *heap, struct heap_node *node);

/* Return the earliest node, or NULL if the heap is empty. */
struct heap_node *heap_first(const struct heap *heap);

/* Return the earliest node if its time is `now_us` or earlier, else NULL. UINT64_MAX is never
 * due. */
struct heap_node *heap_due(const struct heap *heap, uint64_t now_us);

/* Remove a node. */
void heap_remove(struct heap *heap, struct heap_node *node);

/* Change a node's time. */
void heap_move(struct heap *heap, struct heap_node *node, uint64_t at_us);

/* Free the heap, but not its nodes. */
void heap_fini(struct heap *heap);

#endif
