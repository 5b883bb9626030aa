/* pace - how time goes on between one look at the clocks and the next: whether it was the time that
 * passed. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PACE_H
#define NHM_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
	uint64_t now_us;       /* of the clock that may be set, microseconds since 1970 */
	uint64_t monotonic_us; /* of the one that may not */
};

/* What they say now. */
struct pace pace_now(void);

/* Goes on to what the clocks say now. `now_us` never goes back by less than `tolerance_us`. True
 * when it jumped: the clock was set by more than that, or the machine stood still for longer.
 * Pure. */
bool pace_go_on(struct pace *pace, uint64_t now_us, uint64_t monotonic_us, uint64_t tolerance_us);

#endif
