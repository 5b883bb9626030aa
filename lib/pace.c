/* pace - follows the clock and detects that it was set. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pace.h"

#include "clock.h"
#include "num.h"

struct pace
pace_now(void)
{
	return (struct pace){
		clock_realtime_ns() / NUM_NS_PER_US, clock_monotonic_ns() / NUM_NS_PER_US};
}

uint64_t
pace_expected_us(const struct pace *pace, uint64_t monotonic_us)
{
	return pace->now_us + (monotonic_us - pace->monotonic_us);
}

bool
pace_has_jumped(const struct pace *pace, uint64_t at_us, uint64_t tolerance_us)
{
	const struct pace now = pace_now();
	return now.now_us + tolerance_us < pace->now_us ||
	       at_us > pace_expected_us(pace, now.monotonic_us) + tolerance_us;
}

bool
pace_advance(struct pace *pace, uint64_t now_us, uint64_t monotonic_us, uint64_t tolerance_us)
{
	uint64_t expected_us = pace_expected_us(pace, monotonic_us);
	uint64_t apart_us = now_us > expected_us ? now_us - expected_us : expected_us - now_us;
	bool jumped = apart_us > tolerance_us;
	if (jumped || now_us > pace->now_us)
		pace->now_us = now_us;
	pace->monotonic_us = monotonic_us;
	return jumped;
}

uint64_t
pace_not_ahead_us(uint64_t at_us)
{
	return clock_earlier(at_us, clock_realtime_ns() / NUM_NS_PER_US);
}
