/* downtime - total time that something was down within a sliding window. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_DOWNTIME_H
#define CORRELATE_DOWNTIME_H

#include <stddef.h>
#include <stdint.h>

/* Spans remembered; when full, the oldest is evicted. Other rules detect links that flap this
 * often. */
#define DOWNTIME_SPANS_MAX 64

/* All zeros: never down. Times are microseconds since 1970. */
struct downtime {
	struct downtime_span {
		uint64_t from_us, to_us;
	} spans[DOWNTIME_SPANS_MAX]; /* ended spans, oldest first */
	size_t count;
	uint64_t since_us; /* start of the current span; 0: not down */
};

/* Begin a span unless one is open; end the open span, if any. */
void downtime_begin(struct downtime *downtime, uint64_t at_us);
void downtime_end(struct downtime *downtime, uint64_t at_us);

/* The clock was set back by `by_us`: move all times back. */
void downtime_set_back(struct downtime *downtime, uint64_t by_us);

/* Return the time down within the last `within_us` before `now_us`. */
uint64_t downtime_total_us(const struct downtime *downtime, uint64_t within_us, uint64_t now_us);

/* Return the earliest time at which the total can reach `wanted_us` if it stays down; `now_us` if
 * it has reached it already. */
uint64_t downtime_reach_us(
	const struct downtime *downtime, uint64_t within_us, uint64_t wanted_us, uint64_t now_us);

#endif
