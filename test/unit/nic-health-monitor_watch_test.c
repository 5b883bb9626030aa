/* Unit tests of watch: a stage that makes no progress is found, but not blamed for its
 * neighbours. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/watch.h"

#include "check.h"
#include "num.h"

#define S NUM_NS_PER_S
#define LIMIT (10 * S)

/* Poll once a second, from second 1 on, for `seconds`, with `ticks` and `feed` more each time.
 * Return the second at which the stage was found stuck, or 0. */
static unsigned
found_at(struct watch_look look, unsigned seconds, unsigned ticks, unsigned feed)
{
	struct watch watch = {.ticks = 0};
	for (unsigned second = 1; second <= seconds; second++) {
		look.now_ns = second * S;
		look.ticks += ticks;
		look.feed_ticks += feed;
		if (watch_step(&watch, &look, LIMIT) != 0)
			return second;
	}
	return 0;
}

static const struct row {
	const char *what;
	struct watch_look look;
	unsigned ticks, feed, found;
} rows[] = {
	{"a source without progress", {.is_source = true}, 0, 0, 11},
	{"a source with progress", {.is_source = true}, 1, 0, 0},
	{"a source whose reader does not read", {.is_source = true, .output_full = true}, 0, 0, 0},
	{"a filter without input", {.input_waits = false}, 0, 0, 0},
	{"a filter that leaves its input unread", {.input_waits = true}, 0, 0, 11},
	{"a filter with progress that is behind", {.input_waits = true}, 1, 1, 0},
	{"a filter that reads without progress", {.ticks = 0}, 0, 1, 11},
	{"the same, but it cannot write", {.output_full = true}, 0, 1, 0},
	{"a stage that does not read on purpose",
		{.input_waits = true, .input_full = true, .holding = true}, 0, 0, 0},
	{"a busy loop that leaves its input full", {.input_waits = true, .input_full = true}, 1, 0,
		11},
	{"the same, but it cannot write",
		{.input_waits = true, .input_full = true, .output_full = true}, 1, 0, 0},
};

static void
blames(void)
{
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].what);
		CHECK_INT(found_at(rows[i].look, 60, rows[i].ticks, rows[i].feed), rows[i].found);
	}
}

/* A stage that was blocked gets the whole limit from the moment at which it can work. */
static void
fresh_limit(void)
{
	struct watch watch = {.ticks = 0};
	struct watch_look look = {.input_waits = true, .output_full = true};
	for (unsigned second = 1; second <= 100; second++) {
		look.now_ns = second * S;
		look.output_full = second < 50;
		uint64_t idle_ns = watch_step(&watch, &look, LIMIT);
		check_row("second %u", second);
		CHECK_U64(idle_ns, second >= 60 ? (second - 50) * S : 0);
	}
}

/* A feeder that hung for long and writes again does not make its reader late. */
static void
late_feeder(void)
{
	struct watch watch = {.ticks = 0};
	struct watch_look look = {.ticks = 5, .feed_ticks = 5};
	for (unsigned second = 1; second <= 100; second++) {
		look.now_ns = second * S;
		if (second == 80)
			look.feed_ticks = 6;
		check_row("second %u", second);
		CHECK_U64(watch_step(&watch, &look, LIMIT), second >= 90 ? (second - 80) * S : 0);
	}
}

/* A restarted feeder counts from 0. */
static void
new_feeder(void)
{
	struct watch watch = {.ticks = 0};
	struct watch_look look = {.ticks = 500, .feed_ticks = 500, .now_ns = S};
	CHECK_U64(watch_step(&watch, &look, LIMIT), 0);
	look.feed_ticks = 0;
	look.now_ns = 2 * S;
	CHECK_U64(watch_step(&watch, &look, LIMIT), 0);
	look.feed_ticks = 1;
	look.now_ns = 3 * S;
	CHECK_U64(watch_step(&watch, &look, LIMIT), 0);
	for (unsigned second = 4; second <= 13; second++) {
		look.now_ns = second * S;
		CHECK_U64(watch_step(&watch, &look, LIMIT), second == 13 ? 10 * S : 0);
	}
}

/* Time in which the service itself did not run does not count; a stage that is stuck afterwards is
 * found. */
static void
frozen(void)
{
	struct watch watch = {.ticks = 0};
	struct watch_look look = {.is_source = true, .input_waits = true, .input_full = true};
	for (unsigned second = 1; second <= 120; second++) {
		look.now_ns = (second <= 9 ? second : second + 1000) * S;
		check_row("second %u", second);
		CHECK_U64(watch_step(&watch, &look, LIMIT), second >= 20 ? (second - 10) * S : 0);
	}
}

/* A stage uses this much processor time per second and makes no progress from second 50 on. A tenth
 * of a second is a hundredth of the limit. */
static unsigned
found_busy_at(uint64_t used_ns_a_second)
{
	struct watch watch = {.ticks = 0};
	struct watch_look look = {.is_source = true};
	for (unsigned second = 1; second <= 200; second++) {
		look.now_ns = second * S;
		look.used_ns += used_ns_a_second;
		look.ticks += second < 50;
		if (watch_step(&watch, &look, LIMIT) != 0)
			return second;
	}
	return 0;
}

static void
busy(void)
{
	CHECK_INT(found_busy_at(0), 59);
	CHECK_INT(found_busy_at(S / 1000), 59);
	/* on an overloaded machine, or in a busy loop */
	CHECK_INT(found_busy_at(S / 50), 79);
	CHECK_INT(found_busy_at(S), 79);
}

static void
limits(void)
{
	CHECK_U64(watch_limit_ns(S, false), 10 * S);
	CHECK_U64(watch_limit_ns(S, true), 30 * S);
	CHECK_U64(watch_limit_ns(S / 10, false), 5 * S);
	CHECK_U64(watch_limit_ns(60 * S, true), 600 * S);
	CHECK_U64(watch_limit_ns(UINT64_MAX / 2, false), UINT64_MAX);
	/* A source that reports a stalled scan is not killed before that. */
	CHECK_U64(watch_source_limit_ns(S, 0), 10 * S);
	CHECK_U64(watch_source_limit_ns(S, 4 * S), 10 * S);
	CHECK_U64(watch_source_limit_ns(S, 10 * S), 15 * S);
	CHECK_U64(watch_source_limit_ns(60 * S, 10 * S), 600 * S);
	CHECK_U64(watch_source_limit_ns(S, UINT64_MAX), UINT64_MAX);
}

static const struct check_test tests[] = {
	{"a stage is blamed only when it is stuck itself", blames},
	{"the limit counts from when the stage could work", fresh_limit},
	{"a feeder that comes late does not make its reader late", late_feeder},
	{"a feeder that was restarted is followed", new_feeder},
	{"time in which the service did not run does not count", frozen},
	{"a stage that uses the processor has three times the limit, and no more", busy},
	{"the limit is ten intervals, and longer for other sources than ibscan", limits},
};

CHECK_MAIN(tests)
