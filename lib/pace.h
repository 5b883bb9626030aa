/* pace - follows the clock and detects that it was set, by comparing it with the monotonic
 * clock. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PACE_H
#define NHM_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
	uint64_t now_us;       /* CLOCK_REALTIME, microseconds since 1970 */
	uint64_t monotonic_us; /* CLOCK_MONOTONIC */
};

/* Return the current times. */
struct pace pace_now(void);

/* Advance to the times given. `now_us` never goes back by less than `tolerance_us`. Return whether
 * it jumped: the clock was set by more than that, or the machine was suspended for longer. Pure. */
bool pace_advance(struct pace *pace, uint64_t now_us, uint64_t monotonic_us, uint64_t tolerance_us);

/* Return the time that the clock shows at `monotonic_us` if it was not set since `pace`. Pure. */
uint64_t pace_expected_us(const struct pace *pace, uint64_t monotonic_us);

/* Return whether the clock jumped, see pace_advance(), so that an event of the time `at_us`, which
 * has just come and is not in the future, would be late or take the time along. */
bool pace_has_jumped(const struct pace *pace, uint64_t at_us, uint64_t tolerance_us);

/* Return the earlier of an event's time and now: its clock may be ahead, or ours was set back. */
uint64_t pace_not_ahead_us(uint64_t at_us);

#endif
