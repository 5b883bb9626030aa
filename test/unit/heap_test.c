/* Unit tests of heap: the earliest node is always the first. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

#include "check.h"
#include "wraps.h"

#include <stdlib.h>

#define COUNT 200

/* Return a number below `limit`, the same sequence in each run. */
WRAPS static unsigned
some(unsigned limit)
{
	static uint64_t state = 1;
	state = (state * UINT64_C(0x5851f42d4c957f2d) + 1) & INT64_MAX;
	return (unsigned)(state >> 33) % limit;
}

static bool
is_before(const struct heap_node *a, const struct heap_node *b)
{
	if (a->at_us != b->at_us)
		return a->at_us < b->at_us;
	return a->rank != b->rank ? a->rank < b->rank : a->second_rank < b->second_rank;
}

/* Return the first node in the heap, found by a linear search. */
static const struct heap_node *
first_of(const struct heap_node *nodes, const bool *is_in)
{
	const struct heap_node *first = NULL;
	for (size_t i = 0; i < COUNT; i++)
		if (is_in[i] && (first == NULL || is_before(&nodes[i], first)))
			first = &nodes[i];
	return first;
}

static void
finds_the_first(void)
{
	struct heap heap = {.count = 0};
	struct heap_node nodes[COUNT];
	bool is_in[COUNT] = {false};
	for (unsigned i = 0; i < COUNT; i++)
		nodes[i] = (struct heap_node){.at_us = some(40), .rank = some(3), .second_rank = i};
	for (unsigned turn = 0; turn < 20000; turn++) {
		unsigned i = some(COUNT);
		if (!is_in[i] && !CHECK_INT(heap_add(&heap, &nodes[i]), 0))
			break;
		else if (!is_in[i])
			is_in[i] = true;
		else if (some(2) == 0)
			heap_move(&heap, &nodes[i], some(40));
		else {
			heap_remove(&heap, &nodes[i]);
			is_in[i] = false;
		}
		if (!CHECK(heap_first(&heap) == first_of(nodes, is_in)))
			break;
	}
	heap_fini(&heap);
	CHECK(heap.nodes == NULL && heap.count == 0);
}

static void
sorts(void)
{
	struct heap heap = {.count = 0};
	struct heap_node nodes[COUNT], *node, *before = NULL;
	size_t count = 0;
	for (unsigned i = 0; i < COUNT; i++) {
		nodes[i] = (struct heap_node){.at_us = some(1000), .second_rank = i};
		CHECK_INT(heap_add(&heap, &nodes[i]), 0);
	}
	for (; (node = heap_first(&heap)) != NULL; before = node, count++) {
		CHECK(before == NULL || is_before(before, node));
		heap_remove(&heap, node);
	}
	CHECK_INT((int)count, COUNT);
	heap_fini(&heap);
}

static void
knows_what_is_due(void)
{
	struct heap heap = {.count = 0};
	struct heap_node node = {.at_us = 5};
	CHECK(heap_due(&heap, UINT64_MAX) == NULL);
	CHECK_INT(heap_add(&heap, &node), 0);
	CHECK(heap_due(&heap, 4) == NULL);
	CHECK(heap_due(&heap, 5) == &node);
	CHECK(heap_due(&heap, UINT64_MAX) == &node);
	heap_move(&heap, &node, UINT64_MAX);
	CHECK(heap_due(&heap, UINT64_MAX) == NULL);
	heap_fini(&heap);
}

static const struct check_test tests[] = {
	{"after any adds, moves and removals the first node is the earliest", finds_the_first},
	{"nodes removed one by one come in order", sorts},
	{"the first node is due from its time on, and never when its time is the maximum",
		knows_what_is_due},
};
CHECK_MAIN(tests)
