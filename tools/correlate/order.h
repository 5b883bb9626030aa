/* order - one node's events in the order of their time, however they come, each once. Pure.
 *
 * An event is handed out when no earlier one is to be expected: when one has come whose time is
 * later by the lateness that is allowed. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_ORDER_H
#define CORRELATE_ORDER_H

#include "event.h"
#include "heap.h"
#include "map.h"

/* Most streams of a node whose events are told from repeated ones. */
#define ORDER_STREAMS_MAX 256

struct order_stream {
	char source[EVENT_SOURCE_SIZE];
	uint64_t seq; /* of the latest event that was handed out */
};

struct order {
	uint64_t lateness_us;
	struct heap waiting;
	uint64_t newest_us; /* of all that came */
	struct order_stream *streams;
	size_t stream_count, stream_capacity;
	struct map by_source;
	uint64_t late; /* events that came too late and were left out */
};

void order_init(struct order *order, uint64_t lateness_us);

/* Takes in an event of that moment, microseconds since 1970. 0, or -1 with errno when memory ran
 * out. */
int order_add(struct order *order, uint64_t at_us, json_t *event);

/* The next event that can be handed out, `all`: or is left; its moment is in `*at_us`. The caller's
 * to give back with json_decref(). NULL: there is none. What is repeated is passed over. */
json_t *order_next_new(struct order *order, bool all, uint64_t *at_us);

/* Up to when no event is to be expected any more. */
uint64_t order_settled_us(const struct order *order);

void order_fini(struct order *order);

#endif
