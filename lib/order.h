/* order - events in the order of their time, however they come, each once. Pure.
 *
 * An event is handed out when no earlier one is to be expected: when time has gone on by `wait_us`
 * after it. Who cannot wait for as long as events may be late gets those that come after that
 * behind others that are later. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ORDER_H
#define NHM_ORDER_H

#include "event.h"
#include "heap.h"
#include "map.h"
#include "sighting.h"

/* Most streams whose events are told from repeated ones, unless `most_streams` says otherwise:
 * those that had an event last. */
#define ORDER_STREAMS_MAX 256

struct order_stream {
	char source[EVENT_SOURCE_SIZE];
	uint64_t seq;  /* of the latest event that was handed out */
	uint64_t turn; /* of the events that were handed out, which one that was */
};

struct order {
	uint64_t lateness_us; /* so much later than others they may come */
	uint64_t wait_us;     /* at most that */
	size_t most_streams;
	struct heap waiting;
	uint64_t newest_us; /* of all that came, or the clock's time */
	struct order_stream *streams;
	size_t stream_count, stream_capacity;
	struct map by_source;
	uint64_t turns;
	uint64_t late; /* events that came too late and were left out */
};

void order_init(struct order *order, uint64_t lateness_us, uint64_t wait_us);

/* Time has come to `now_us`, whether or not events have. */
void order_advance(struct order *order, uint64_t now_us);

/* Time goes on from another moment, before or after what it was. */
void order_restart(struct order *order, uint64_t now_us);

/* Takes in an event of that moment, microseconds since 1970. Healthy ones are never too late: they
 * keep others from being believed. 0, or -1 with errno when memory ran out. */
int order_add(struct order *order, uint64_t at_us, struct sighting *event);

/* The next event up to a moment, as a rule that of order_settled_us(); its own is in `*at_us`. The
 * caller's to give back with sighting_release(). NULL: there is none. What is repeated is passed
 * over. */
struct sighting *order_next_new(struct order *order, uint64_t last_us, uint64_t *at_us);

/* Up to when events are handed out. */
uint64_t order_settled_us(const struct order *order);

/* Adds to `*node`, an object, what a restart needs: `newest_us`, `sources` and `waiting`. 0, or -1
 * when memory ran out. */
int order_encode(const struct order *order, json_t *node);

/* Takes the same into one that has just been begun. 0, or -1 with `*error`. */
int order_decode(struct order *order, const json_t *node, struct rec_error *error);

void order_fini(struct order *order);

#endif
