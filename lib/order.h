/* order - puts events into the order of their times and drops repeated ones. Pure.
 *
 * An event is handed out `wait_us` after its time, when no earlier event is expected any more. If
 * `wait_us` is shorter than `lateness_us`, an event that arrives after that wait is handed out
 * behind events with later times. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ORDER_H
#define NHM_ORDER_H

#include "event.h"
#include "heap.h"
#include "map.h"
#include "sighting.h"

/* Most streams whose repeated events are recognised, unless `most_streams` is changed. A further
 * stream evicts the one whose latest event is oldest. */
#define ORDER_STREAMS_MAX 256

struct order_stream {
	char source[EVENT_SOURCE_SIZE];
	uint64_t seq; /* the highest of the events handed out */
	/* Which of the numbers below it, down to 64 below it, have not been handed out: bit 0 is
	 * the next lower one. A log's lines may be out of the order of their times, and so are the
	 * numbers of events then. */
	uint64_t overtaken;
	uint64_t turn; /* value of `turns` at the latest event */
};

struct order {
	uint64_t lateness_us; /* how late an event may arrive */
	uint64_t wait_us;     /* how long an event is held, at most lateness_us */
	size_t most_streams;
	struct heap waiting;
	uint64_t newest_us; /* latest event time or clock time */
	struct order_stream *streams;
	size_t stream_count, stream_capacity;
	struct map by_source;
	uint64_t turns;
	uint64_t late; /* events dropped because they arrived too late */
};

void order_init(struct order *order, uint64_t lateness_us, uint64_t wait_us);

/* Advance the time to `now_us` without an event. */
void order_advance(struct order *order, uint64_t now_us);

/* Set the time to `now_us`, earlier or later. */
void order_restart(struct order *order, uint64_t now_us);

/* Add an event of the time `at_us`, microseconds since 1970. Healthy events are never too late:
 * they clear faults. Return 0, or -1 with errno when out of memory. */
int order_add(struct order *order, uint64_t at_us, struct sighting *event);

/* Return the next event up to `last_us`, usually order_settled_us(), with its time in `*at_us`;
 * NULL if there is none. Skip repeated events. The caller frees the event with
 * sighting_release(). */
struct sighting *order_next_new(struct order *order, uint64_t last_us, uint64_t *at_us);

/* Return the time up to which events can be handed out. */
uint64_t order_settled_us(const struct order *order);

/* Add `newest_us`, `sources` and `waiting` to `*node`, an object, for a restart. Return 0, or -1
 * when out of memory. */
int order_encode(const struct order *order, json_t *node);

/* Read them into a newly initialised `*order`. Return 0, or -1 with `*error`. */
int order_decode(struct order *order, const json_t *node, struct rec_error *error);

void order_fini(struct order *order);

#endif
