/* Unit tests of correlate's downtime: the total time that something was down within a window. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/correlate/downtime.h"

#include "check.h"

static void
adds(void)
{
	struct downtime downtime = {.count = 0};
	CHECK_U64(downtime_total_us(&downtime, 1000, 500), 0);
	downtime_begin(&downtime, 100);
	downtime_begin(&downtime, 150);
	CHECK_U64(downtime_total_us(&downtime, 1000, 130), 30);
	downtime_end(&downtime, 200);
	downtime_end(&downtime, 300);
	CHECK_U64(downtime_total_us(&downtime, 1000, 300), 100);
	downtime_begin(&downtime, 400);
	CHECK_U64(downtime_total_us(&downtime, 1000, 450), 150);
	downtime_end(&downtime, 500);
	/* A span leaves the window piece by piece. */
	CHECK_U64(downtime_total_us(&downtime, 1000, 1100), 200);
	CHECK_U64(downtime_total_us(&downtime, 1000, 1150), 150);
	CHECK_U64(downtime_total_us(&downtime, 1000, 1200), 100);
	CHECK_U64(downtime_total_us(&downtime, 1000, 1450), 50);
	CHECK_U64(downtime_total_us(&downtime, 1000, 1500), 0);
}

static void
goes_on(void)
{
	struct downtime downtime = {.count = 0};
	downtime_begin(&downtime, 100);
	CHECK_U64(downtime_total_us(&downtime, 1000, 5000), 1000);
}

static void
reaches(void)
{
	struct downtime downtime = {.count = 0};
	downtime_begin(&downtime, 100);
	downtime_end(&downtime, 150);
	downtime_begin(&downtime, 300);
	CHECK_U64(downtime_reach_us(&downtime, 1000, 60, 300), 310);
	CHECK_U64(downtime_reach_us(&downtime, 1000, 60, 310), 310);
	/* Until the span begins to leave the window, and from the moment when it has left it. */
	CHECK_U64(downtime_reach_us(&downtime, 1000, 2000, 1099), 1099 + 1151);
	CHECK_U64(downtime_reach_us(&downtime, 1000, 2000, 1100), 1100 + 1150 + 50);
	CHECK_U64(downtime_reach_us(&downtime, 1000, 2000, 1150), 1150 + 1150);
	CHECK_U64(downtime_reach_us(&downtime, 1000, 50, 300), 300);
	/* While 30 of the 50 leave the window, the other 20 have to be replaced, too. */
	downtime.since_us = 1125;
	CHECK_U64(downtime_reach_us(&downtime, 1000, 60, 1130), 1130 + 20 + 35);
	/* The same with several spans. */
	downtime.since_us = 200;
	downtime_end(&downtime, 210);
	downtime_begin(&downtime, 1200);
	CHECK_U64(downtime_reach_us(&downtime, 1000, 60, 1204), 1204 + 6 + 50);
}

static void
many(void)
{
	struct downtime downtime = {.count = 0};
	for (unsigned i = 0; i < 2 * DOWNTIME_SPANS_MAX; i++) {
		downtime_begin(&downtime, 100 * (i + 1));
		downtime_end(&downtime, 100 * (i + 1) + 1);
	}
	CHECK_U64(downtime_total_us(&downtime, 1000000, 1000000), DOWNTIME_SPANS_MAX);
	/* They are the latest ones. */
	CHECK_U64(downtime.spans[DOWNTIME_SPANS_MAX - 1].from_us, 200 * DOWNTIME_SPANS_MAX);
}

static void
goes_back(void)
{
	static const struct {
		uint64_t by_us, since_us, total_us;
	} rows[] = {{500, 500, 60}, {900, 100, 40}, {940, 60, 20}, {999, 1, 0}, {1000, 1000, 0}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct downtime downtime = {.count = 0};
		check_row("by %u", (unsigned)rows[i].by_us);
		downtime_begin(&downtime, 700);
		downtime_end(&downtime, 720);
		downtime_begin(&downtime, 920);
		downtime_end(&downtime, 960);
		downtime_begin(&downtime, 1000);
		downtime_set_back(&downtime, rows[i].by_us);
		CHECK_U64(downtime.since_us, rows[i].since_us);
		CHECK_U64(downtime_total_us(&downtime, 10000, rows[i].since_us), rows[i].total_us);
	}
}

static const struct check_test tests[] = {
	{"downtimes add up, and those before the window do not count", adds},
	{"a downtime that lasts counts up to now, and at most the whole window", goes_on},
	{"the moment when the total will be reached is never too late", reaches},
	{"a clock that is set back shifts all times with it", goes_back},
	{"when there are more spans than are kept, the latest ones count", many},
};
CHECK_MAIN(tests)
