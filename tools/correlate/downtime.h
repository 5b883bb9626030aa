/* downtime - for how long in all something has been down, within a time that slides. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_DOWNTIME_H
#define CORRELATE_DOWNTIME_H

#include <stddef.h>
#include <stdint.h>

/* So many of the latest times are remembered. Of more, the oldest are forgotten: what flaps that
 * often is found by other rules. */
#define DOWNTIME_SPANS_MAX 64

/* All zeros: it was never down. Moments are microseconds since 1970. */
struct downtime {
	struct downtime_span {
		uint64_t from_us, to_us;
	} spans[DOWNTIME_SPANS_MAX]; /* those that have ended, oldest first */
	size_t count;
	uint64_t since_us; /* it is down since then; 0: it is not */
};

/* It goes down, unless it is; it comes up, if it is down. */
void downtime_begin(struct downtime *downtime, uint64_t at_us);
void downtime_end(struct downtime *downtime, uint64_t at_us);

/* The clock was set back by so much: all moments go with it. */
void downtime_set_back(struct downtime *downtime, uint64_t by_us);

/* For how long it was down in the last `within_us` before `now_us`. */
uint64_t downtime_total_us(const struct downtime *downtime, uint64_t within_us, uint64_t now_us);

/* Not before that moment it can have been down for `wanted_us`, if it stays down: `now_us` when it
 * has. */
uint64_t downtime_reach_us(
	const struct downtime *downtime, uint64_t within_us, uint64_t wanted_us, uint64_t now_us);

#endif
