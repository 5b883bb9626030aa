/* Unit tests of pace: whether the wall clock keeps pace with the monotonic clock. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pace.h"

#include "check.h"
#include "clock.h"

#define S UINT64_C(1000000)

/* At the start the wall clock is at 1000 s and the monotonic one at 100 s. */
static const struct row {
	unsigned now_s, monotonic_s;
	bool jumped;
	unsigned then_s;
} rows[] = {
	{1000, 100, false, 1000},
	{1010, 110, false, 1010},
	{1070, 110, false, 1070},
	{1071, 110, true, 1071},
	/* The machine was asleep. */
	{4600, 100, true, 4600},
	/* The process was busy. */
	{4600, 3700, false, 4600},
	{950, 110, false, 1000},
	{949, 110, true, 949},
	{990, 100, false, 1000},
};

static void
goes_on(void)
{
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct pace pace = {1000 * S, 100 * S};
		check_row("%u s, and %u s passed", row->now_s, row->monotonic_s - 100);
		bool jumped = pace_advance(&pace, row->now_s * S, row->monotonic_s * S, 60 * S);
		CHECK_INT(jumped, row->jumped);
		CHECK_U64(pace.now_us, row->then_s * S);
		CHECK_U64(pace.monotonic_us, row->monotonic_s * S);
	}
}

static void
is_of_both_clocks(void)
{
	uint64_t wall_ns = clock_realtime_ns(), monotonic_ns = clock_monotonic_ns();
	const struct pace now = pace_now();
	CHECK(wall_ns / 1000 <= now.now_us && now.now_us <= clock_realtime_ns() / 1000);
	CHECK(monotonic_ns / 1000 <= now.monotonic_us &&
		now.monotonic_us <= clock_monotonic_ns() / 1000);
}

static void
is_not_ahead(void)
{
	uint64_t before_us = pace_now().now_us;
	CHECK_U64(pace_not_ahead_us(1), 1);
	CHECK_U64(pace_not_ahead_us(before_us), before_us);
	uint64_t capped_us = pace_not_ahead_us(UINT64_MAX - 1);
	CHECK(before_us <= capped_us && capped_us <= pace_now().now_us);
}

static void
comes_after_jump(void)
{
	const struct pace now = pace_now();
	const struct pace before_back = {now.now_us + 3600 * S, now.monotonic_us};
	const struct pace before_forward = {now.now_us - 3600 * S, now.monotonic_us};
	CHECK(!pace_has_jumped(&now, now.now_us, 60 * S));
	CHECK(pace_has_jumped(&before_back, now.now_us, 60 * S));
	CHECK(pace_has_jumped(&before_forward, now.now_us, 60 * S));
	/* It comes from before the jump. */
	CHECK(!pace_has_jumped(&before_forward, now.now_us - 3600 * S, 60 * S));
}

static const struct check_test tests[] = {
	{"a clock that drifts from the monotonic one beyond the tolerance has jumped", goes_on},
	{"now is read from both clocks", is_of_both_clocks},
	{"an event shows that the clock was set, if it comes after that", comes_after_jump},
	{"a time ahead of the clock becomes now", is_not_ahead},
};
CHECK_MAIN(tests)
