/* heap - things in the order of a moment each: the earliest is found at once. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_HEAP_H
#define NHM_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* What every thing begins with. */
struct heap_node {
	uint64_t at_us; /* its moment */
	/* the order of things of one moment, whichever was added first: by the first, then by the
	 * second */
	uint64_t rank, second_rank;
	size_t place; /* the heap's own */
};

/* All zeros: empty. */
struct heap {
	struct heap_node **nodes;
	size_t count, capacity;
};

/* Adds it. 0, or -1 with errno when memory ran out. */
int heap_add(struct heap *heap, struct heap_node *node);

/* The earliest; NULL when there is none. */
struct heap_node *heap_first(const struct heap *heap);

/* The earliest, if its moment is `now_us` or earlier; NULL otherwise. UINT64_MAX never comes. */
struct heap_node *heap_due(const struct heap *heap, uint64_t now_us);

/* Takes it out. */
void heap_remove(struct heap *heap, struct heap_node *node);

/* Gives it another moment. */
void heap_move(struct heap *heap, struct heap_node *node, uint64_t at_us);

/* Frees the heap, and nothing that was in it. */
void heap_fini(struct heap *heap);

#endif
