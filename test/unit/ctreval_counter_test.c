/* Unit tests of ctreval's counter: events for the growth of a counter (spec#counter-steps). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/counter.h"
#include "../../tools/ctreval/check/saturation.h"

#include "check.h"
#include "num.h"

#define S NUM_NS_PER_S
#define MIN (60 * S)
#define HOUR (3600 * S)
/* Scans begin long after boot. */
#define T0 (1000 * S)

static const struct counter_def delta_0 = {.type = COUNTER_DELTA};
static const struct counter_def delta_2 = {.type = COUNTER_DELTA, .threshold = 2};
static const struct counter_def per_second = {
	.type = COUNTER_VELOCITY, .unit = COUNTER_PER_SECOND, .threshold = 10};
static const struct counter_def per_minute = {
	.type = COUNTER_VELOCITY, .unit = COUNTER_PER_MINUTE, .threshold = 5};
static const struct counter_def per_hour = {
	.type = COUNTER_VELOCITY, .unit = COUNTER_PER_HOUR, .threshold = 120};
static const struct counter_def early = {
	.type = COUNTER_VELOCITY, .unit = COUNTER_PER_HOUR, .threshold = 120, .early_breach = true};

struct seen {
	uint64_t at, value; /* `at` counts from T0 */
	enum counter_verdict verdict;
	uint64_t delta; /* of a breach */
	double rate;
};

#define QUIET COUNTER_QUIET, 0, 0
#define RECOVERY COUNTER_RECOVERY, 0, 0

static void
check_scans(const struct counter_def *def, struct counter_memory *memory, const struct seen *scans,
	size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct counter_sample sample = {scans[i].value, T0 + scans[i].at};
		struct counter_finding finding = counter_step(def, memory, &sample);
		check_row("scan %zu", i);
		CHECK_INT(finding.verdict, scans[i].verdict);
		if (scans[i].verdict == COUNTER_BREACH) {
			CHECK_U64(finding.delta, scans[i].delta);
			CHECK_NEAR(finding.rate, scans[i].rate);
		}
	}
}

/* A series of scans that begins with the counter's first value. */
#define SCANS(def, ...) \
	do { \
		static const struct seen scans[] = {__VA_ARGS__}; \
		struct counter_memory memory = {0}; \
		check_scans(def, &memory, scans, CHECK_COUNT(scans)); \
	} while (0)

static void
first_seen(void)
{
	SCANS(&delta_0, {0, 7, QUIET}, {S, 7, QUIET});
	SCANS(&delta_0, {0, UINT64_MAX, QUIET}, {S, UINT64_MAX, QUIET});
	SCANS(&per_second, {0, 1000000, QUIET}, {S, 1000000, QUIET});
	SCANS(&early, {0, 1000000, QUIET}, {S, 1000000, QUIET});
	SCANS(&delta_0, {0, 0, QUIET}, {S, 0, QUIET});
}

static void
delta(void)
{
	SCANS(&delta_0, {0, 0, QUIET}, {5 * S, 1, COUNTER_BREACH, 1, 0.2});
	SCANS(&delta_0, {0, 5, QUIET}, {S, 5, QUIET}, {2 * S, 8, COUNTER_BREACH, 3, 3});
	/* The shortest possible time still gives a rate. */
	SCANS(&delta_0, {0, 0, QUIET}, {1, 1, COUNTER_BREACH, 1, 1e9});
	/* The snapshot moves with every scan: growth never adds up. */
	SCANS(&delta_2, {0, 0, QUIET}, {S, 2, QUIET}, {2 * S, 4, QUIET}, {3 * S, 6, QUIET},
		{4 * S, 9, COUNTER_BREACH, 3, 3});
}

static void
delta_per_second(void)
{
	static const struct counter_def def = {.type = COUNTER_DELTA, .unit = COUNTER_PER_HOUR};
	SCANS(&def, {0, 0, QUIET}, {2 * S, 1, COUNTER_BREACH, 1, 0.5});
	CHECK_INT(watched_rate_unit(&def), COUNTER_PER_SECOND);
	CHECK_INT(watched_rate_unit(&per_minute), COUNTER_PER_MINUTE);
}

static void
delta_exact(void)
{
	SCANS(&delta_2, {0, 10, QUIET}, {S, 12, QUIET});
	SCANS(&delta_2, {0, 10, QUIET}, {S, 13, COUNTER_BREACH, 3, 3});
	SCANS(&delta_0, {0, 10, QUIET}, {S, 10, QUIET});
}

static void
velocity_exact(void)
{
	SCANS(&per_second, {0, 0, QUIET}, {S, 10, QUIET});
	SCANS(&per_second, {0, 0, QUIET}, {S, 11, COUNTER_BREACH, 11, 11});
	SCANS(&per_minute, {0, 0, QUIET}, {MIN, 5, QUIET});
	SCANS(&per_minute, {0, 0, QUIET}, {MIN, 6, COUNTER_BREACH, 6, 6});
	SCANS(&per_hour, {0, 0, QUIET}, {HOUR, 120, QUIET});
	SCANS(&per_hour, {0, 0, QUIET}, {HOUR, 121, COUNTER_BREACH, 121, 121});
	SCANS(&per_second, {0, 0, QUIET}, {5 * S, 50, QUIET});
	SCANS(&per_second, {0, 0, QUIET}, {5 * S, 51, COUNTER_BREACH, 51, 10.2});
}

static void
velocity_exact_everywhere(void)
{
	/* At exactly the threshold's rate, however long the scan: each 0.1 s adds 1. */
	for (uint64_t tenths = 10; tenths <= 36000; tenths++) {
		struct counter_memory memory = {0};
		counter_step(&per_second, &memory, &(struct counter_sample){0, T0});
		struct counter_finding finding = counter_step(&per_second, &memory,
			&(struct counter_sample){tenths, T0 + tenths * (S / 10)});
		check_row("%d in %d tenths of a second", (int)tenths, (int)tenths);
		if (!CHECK_INT(finding.verdict, COUNTER_QUIET))
			break;
	}
}

static void
window(void)
{
	/* A nanosecond before the window ends there is no verdict; then the whole window counts. */
	SCANS(&per_second, {0, 0, QUIET}, {S - 1, 1000, QUIET},
		{S, 1000, COUNTER_BREACH, 1000, 1000});
	SCANS(&per_minute, {0, 0, QUIET}, {MIN - 1, 6, QUIET}, {MIN, 6, COUNTER_BREACH, 6, 6});
	SCANS(&per_hour, {0, 0, QUIET}, {HOUR - 1, 500, QUIET},
		{HOUR, 500, COUNTER_BREACH, 500, 500});
	/* The rate of a long scan is over all of it. */
	SCANS(&per_minute, {0, 0, QUIET}, {2 * MIN, 10, QUIET});
	SCANS(&per_minute, {0, 0, QUIET}, {2 * MIN, 11, COUNTER_BREACH, 11, 5.5});
}

static void
new_window(void)
{
	/* The count of a quiet window is not added to the next one. */
	SCANS(&per_minute, {0, 0, QUIET}, {30 * S, 5, QUIET}, {MIN, 5, QUIET}, {90 * S, 10, QUIET},
		{2 * MIN, 10, QUIET}, {150 * S, 16, QUIET}, {3 * MIN, 16, COUNTER_BREACH, 6, 6});
	/* The window begins with the scan that ended the last one, not at whole minutes. */
	SCANS(&per_minute, {0, 0, QUIET}, {90 * S, 5, QUIET}, {120 * S, 100, QUIET},
		{149 * S, 100, QUIET}, {150 * S, 100, COUNTER_BREACH, 95, 95});
}

static void
no_extrapolation(void)
{
	/* Three errors in the first second are not 10800 in an hour. */
	SCANS(&per_hour, {0, 0, QUIET}, {S, 3, QUIET}, {2 * S, 6, QUIET}, {MIN, 119, QUIET},
		{HOUR - S, 120, QUIET}, {HOUR, 120, QUIET});
}

static void
early_breach(void)
{
	SCANS(&early, {0, 0, QUIET}, {S, 120, QUIET}, {2 * S, 121, COUNTER_BREACH, 121, 217800});
	SCANS(&early, {0, 0, QUIET}, {HOUR, 120, QUIET}, {HOUR + S, 240, QUIET},
		{HOUR + 2 * S, 241, COUNTER_BREACH, 121, 217800});
	/* Over a longer time the rate counts. */
	SCANS(&early, {0, 0, QUIET}, {2 * HOUR, 240, QUIET});
	SCANS(&early, {0, 0, QUIET}, {2 * HOUR, 241, COUNTER_BREACH, 241, 120.5});
}

static void
latch(void)
{
	SCANS(&delta_0, {0, 0, QUIET}, {S, 1, COUNTER_BREACH, 1, 1}, {2 * S, 2, QUIET},
		{3 * S, 2, QUIET}, {4 * S, 500, QUIET});
	SCANS(&per_second, {0, 0, QUIET}, {S, 100, COUNTER_BREACH, 100, 100}, {2 * S, 300, QUIET},
		{100 * S, 300, QUIET});
}

static void
recovery(void)
{
	SCANS(&delta_0, {0, 5, QUIET}, {S, 6, COUNTER_BREACH, 1, 1}, {2 * S, 0, RECOVERY},
		{3 * S, 0, QUIET}, {4 * S, 1, COUNTER_BREACH, 1, 1}, {5 * S, 0, RECOVERY});
	/* The previous scan counts, not the snapshot. */
	SCANS(&delta_0, {0, 5, QUIET}, {S, 6, COUNTER_BREACH, 1, 1}, {2 * S, 100, QUIET},
		{3 * S, 99, RECOVERY}, {4 * S, 99, QUIET}, {5 * S, 100, COUNTER_BREACH, 1, 1});
	SCANS(&per_second, {0, 0, QUIET}, {S, 100, COUNTER_BREACH, 100, 100}, {2 * S, 50, RECOVERY},
		{3 * S, 60, QUIET}, {4 * S, 71, COUNTER_BREACH, 11, 11});
}

static void
reset_unbreached(void)
{
	SCANS(&delta_0, {0, 5, QUIET}, {S, 0, QUIET}, {2 * S, 0, QUIET},
		{3 * S, 2, COUNTER_BREACH, 2, 2});
	/* The value after the reset, within the same scan, is the new start. */
	SCANS(&delta_0, {0, 500, QUIET}, {S, 499, QUIET}, {2 * S, 499, QUIET});
}

static void
reset_in_window(void)
{
	/* A new window begins although the value is still above the snapshot's. */
	SCANS(&per_minute, {0, 10, QUIET}, {20 * S, 100, QUIET}, {40 * S, 50, QUIET},
		{MIN, 50, QUIET}, {99 * S, 60, QUIET}, {100 * S, 60, COUNTER_BREACH, 10, 10});
	SCANS(&per_minute, {0, 10, QUIET}, {20 * S, 100, QUIET}, {40 * S, 0, QUIET},
		{100 * S, 5, QUIET});
	SCANS(&early, {0, 0, QUIET}, {S, 100, QUIET}, {2 * S, 50, QUIET}, {3 * S, 170, QUIET},
		{4 * S, 171, COUNTER_BREACH, 121, 217800});
}

static void
after_restart(void)
{
	/* After a restart only the snapshot and the flag are left. */
	static const struct seen lower[] = {{0, 99, RECOVERY}, {S, 99, QUIET}};
	static const struct seen equal[] = {{0, 100, QUIET}, {S, 99, RECOVERY}};
	static const struct seen higher[] = {{0, 200, QUIET}, {S, 199, RECOVERY}};
	const struct counter_memory breached = {.seen = true,
		.snapshot = {.value = 100, .boottime_ns = T0 - 100 * S},
		.breached = true};
	struct counter_memory memory = breached;
	check_scans(&delta_0, &memory, lower, CHECK_COUNT(lower));
	memory = breached;
	check_scans(&delta_0, &memory, equal, CHECK_COUNT(equal));
	memory = breached;
	check_scans(&delta_0, &memory, higher, CHECK_COUNT(higher));

	/* Evaluation continues as if it had not stopped: growth meanwhile is growth, and windows
	 * continue. */
	static const struct seen grown[] = {{0, 101, COUNTER_BREACH, 1, 0.01}};
	static const struct seen reset[] = {{0, 99, QUIET}, {S, 100, COUNTER_BREACH, 1, 1}};
	static const struct seen velocity[] = {{0, 300, COUNTER_BREACH, 200, 120}};
	const struct counter_memory quiet = {
		.seen = true, .snapshot = {.value = 100, .boottime_ns = T0 - 100 * S}};
	memory = quiet;
	check_scans(&delta_0, &memory, grown, CHECK_COUNT(grown));
	memory = quiet;
	check_scans(&delta_0, &memory, reset, CHECK_COUNT(reset));
	memory = quiet;
	check_scans(&per_minute, &memory, velocity, CHECK_COUNT(velocity));
}

static void
time_stands_still(void)
{
	/* Growth needs no time. A rate does, and is measured once time has passed. */
	SCANS(&delta_0, {0, 0, QUIET}, {0, 5, COUNTER_BREACH, 5, 0}, {S, 5, QUIET});
	SCANS(&per_second, {0, 0, QUIET}, {0, 500, QUIET}, {S, 500, COUNTER_BREACH, 500, 500});
}

static void
time_runs_back(void)
{
	SCANS(&delta_0, {100 * S, 0, QUIET}, {0, 5, COUNTER_BREACH, 5, 0}, {S, 5, QUIET});
	SCANS(&per_second, {100 * S, 0, QUIET}, {0, 500, QUIET}, {S, 500, QUIET},
		{2 * S, 511, COUNTER_BREACH, 11, 11});
	SCANS(&early, {100 * S, 0, QUIET}, {0, 500, QUIET}, {S, 500, QUIET});
}

static void
extremes(void)
{
	SCANS(&delta_0, {0, 0, QUIET},
		{S, UINT64_MAX, COUNTER_BREACH, UINT64_MAX, 18446744073709551615.0},
		{2 * S, 0, RECOVERY}, {3 * S, 0, QUIET});
	SCANS(&delta_0, {0, UINT64_MAX - 1, QUIET}, {S, UINT64_MAX, COUNTER_BREACH, 1, 1});
	/* A wrapped counter cannot be told from one that was reset. */
	SCANS(&delta_0, {0, UINT64_MAX, QUIET}, {S, 0, QUIET}, {2 * S, 0, QUIET});
	SCANS(&per_second, {0, 0, QUIET},
		{S, UINT64_MAX, COUNTER_BREACH, UINT64_MAX, 18446744073709551615.0});
	static const struct counter_def tolerant = {.type = COUNTER_DELTA, .threshold = 1e300};
	SCANS(&tolerant, {0, 0, QUIET}, {S, UINT64_MAX, QUIET});
	/* The latest possible moment. */
	struct counter_memory memory = {0};
	counter_step(&per_second, &memory, &(struct counter_sample){0, 0});
	struct counter_finding finding = counter_step(
		&per_second, &memory, &(struct counter_sample){UINT64_MAX, UINT64_MAX});
	CHECK_INT(finding.verdict, COUNTER_BREACH);
}

static void
threshold_zero_velocity(void)
{
	static const struct counter_def any = {
		.type = COUNTER_VELOCITY, .unit = COUNTER_PER_SECOND};
	SCANS(&any, {0, 4, QUIET}, {S, 4, QUIET}, {2 * S, 5, COUNTER_BREACH, 1, 1});
}

/* --- the values behind a finding --- */

static void
reasons(void)
{
	static const struct {
		const char *what;
		const struct counter_def *def;
		struct counter_memory before;
		struct counter_sample now;
		enum counter_verdict verdict;
		enum counter_why why;
		uint64_t snapshot; /* value of the snapshot afterwards */
		bool measured;
	} rows[] = {
		{"first", &delta_0, {.seen = false}, {7, T0}, COUNTER_QUIET, COUNTER_FIRST_SEEN, 7,
			false},
		/* A breach restored without a snapshot. */
		{"first, in breach", &delta_0, {.breached = true}, {7, T0}, COUNTER_QUIET,
			COUNTER_FIRST_SEEN, 7, false},
		{"reset", &delta_0, {.seen = true, .snapshot = {7, T0}}, {6, T0 + S}, COUNTER_QUIET,
			COUNTER_WAS_RESET, 6, false},
		{"reset in breach", &delta_0, {.seen = true, .snapshot = {7, T0}, .breached = true},
			{6, T0 + S}, COUNTER_RECOVERY, COUNTER_WAS_RESET, 6, false},
		{"reset without time", &delta_0, {.seen = true, .snapshot = {7, T0}}, {6, T0},
			COUNTER_QUIET, COUNTER_WAS_RESET, 6, false},
		{"no time", &per_second, {.seen = true, .snapshot = {7, T0}}, {99, T0},
			COUNTER_QUIET, COUNTER_TIME_STOOD, 7, false},
		{"latched", &delta_0, {.seen = true, .snapshot = {7, T0}, .breached = true},
			{8, T0 + S}, COUNTER_QUIET, COUNTER_LATCHED, 8, false},
		{"delta within", &delta_2, {.seen = true, .snapshot = {7, T0}}, {9, T0 + S},
			COUNTER_QUIET, COUNTER_WITHIN, 9, true},
		{"delta exceeded", &delta_2, {.seen = true, .snapshot = {7, T0}}, {10, T0 + S},
			COUNTER_BREACH, COUNTER_EXCEEDED, 10, true},
		{"window open", &per_minute, {.seen = true, .snapshot = {7, T0}}, {99, T0 + S},
			COUNTER_QUIET, COUNTER_WINDOW_OPEN, 7, true},
		{"window over, within", &per_minute, {.seen = true, .snapshot = {7, T0}},
			{8, T0 + MIN}, COUNTER_QUIET, COUNTER_WITHIN, 8, true},
		{"window over, exceeded", &per_minute, {.seen = true, .snapshot = {7, T0}},
			{99, T0 + MIN}, COUNTER_BREACH, COUNTER_EXCEEDED, 99, true},
		{"exceeded early", &early, {.seen = true, .snapshot = {7, T0}}, {128, T0 + S},
			COUNTER_BREACH, COUNTER_EXCEEDED_EARLY, 128, true},
		{"not exceeded early", &early, {.seen = true, .snapshot = {7, T0}}, {127, T0 + S},
			COUNTER_QUIET, COUNTER_WINDOW_OPEN, 7, true},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct counter_memory memory = rows[i].before;
		struct counter_finding finding = counter_step(rows[i].def, &memory, &rows[i].now);
		check_row("%s", rows[i].what);
		CHECK_INT(finding.verdict, rows[i].verdict);
		CHECK_INT(finding.why, rows[i].why);
		CHECK_U64(finding.snapshot.value, rows[i].before.snapshot.value);
		CHECK_U64(finding.snapshot.boottime_ns, rows[i].before.snapshot.boottime_ns);
		CHECK_INT(finding.elapsed_ns != 0, rows[i].measured);
		CHECK_U64(memory.snapshot.value, rows[i].snapshot);
		CHECK(memory.seen && memory.has_previous);
		CHECK_U64(memory.previous, rows[i].now.value);
	}
}

static void
latched_snapshot(void)
{
	/* A restart only has the snapshot. It must hold the latest value, or a reset to a value in
	 * between would go unseen. */
	struct counter_memory memory = {0};
	counter_step(&delta_0, &memory, &(struct counter_sample){0, T0});
	counter_step(&delta_0, &memory, &(struct counter_sample){1, T0 + S});
	CHECK(memory.breached);
	counter_step(&delta_0, &memory, &(struct counter_sample){100, T0 + 2 * S});
	CHECK_U64(memory.snapshot.value, 100);
	CHECK_U64(memory.snapshot.boottime_ns, T0 + 2 * S);
	/* The restart. */
	memory.has_previous = false;
	struct counter_finding finding =
		counter_step(&delta_0, &memory, &(struct counter_sample){50, T0 + 3 * S});
	CHECK_INT(finding.verdict, COUNTER_RECOVERY);
}

/* --- watching without a verdict --- */

#define WATCH(memory, value, at) counter_watch(memory, &(struct counter_sample){value, T0 + (at)})
#define STEP(def, memory, value, at) \
	counter_step(def, memory, &(struct counter_sample){value, T0 + (at)})

static void
watching(void)
{
	/* Growth while the first verdicts wait is a breach once they are given. */
	struct counter_memory memory = {0};
	WATCH(&memory, 5, 0);
	WATCH(&memory, 6, S);
	CHECK_U64(memory.snapshot.value, 5);
	CHECK_U64(memory.snapshot.boottime_ns, T0);
	struct counter_finding finding = STEP(&delta_0, &memory, 6, 2 * S);
	CHECK_INT(finding.verdict, COUNTER_BREACH);
	CHECK_U64(finding.delta, 1);

	/* Without growth there is no breach, and the window began with the first watched value. */
	memory = (struct counter_memory){0};
	WATCH(&memory, 5, 0);
	WATCH(&memory, 5, S);
	CHECK_INT(STEP(&delta_0, &memory, 5, 2 * S).verdict, COUNTER_QUIET);
	memory = (struct counter_memory){0};
	WATCH(&memory, 0, 0);
	CHECK_INT(STEP(&per_minute, &memory, 6, MIN).verdict, COUNTER_BREACH);

	/* A reset meanwhile is a new start. */
	memory = (struct counter_memory){0};
	WATCH(&memory, 100, 0);
	WATCH(&memory, 3, S);
	CHECK_U64(memory.snapshot.value, 3);
	CHECK_INT(STEP(&delta_0, &memory, 3, 2 * S).verdict, COUNTER_QUIET);
	CHECK_INT(STEP(&delta_0, &memory, 4, 3 * S).verdict, COUNTER_BREACH);
}

static void
watching_a_breach(void)
{
	/* A restored breach whose counter is reset while verdicts wait recovers once they are
	 * given. */
	const struct counter_memory restored = {
		.seen = true, .snapshot = {100, T0 - S}, .breached = true};
	struct counter_memory memory = restored;
	WATCH(&memory, 0, 0);
	CHECK(memory.breached);
	CHECK_INT(STEP(&delta_0, &memory, 0, S).verdict, COUNTER_RECOVERY);
	/* Also if it counts on after that. */
	memory = restored;
	WATCH(&memory, 0, 0);
	WATCH(&memory, 7, S);
	CHECK_INT(STEP(&delta_0, &memory, 9, 2 * S).verdict, COUNTER_RECOVERY);
	CHECK_U64(memory.snapshot.value, 9);
	/* And if it is reset only after the first watched value. */
	memory = restored;
	WATCH(&memory, 150, 0);
	WATCH(&memory, 120, S);
	CHECK_INT(STEP(&delta_0, &memory, 120, 2 * S).verdict, COUNTER_RECOVERY);
	/* A breach without a reset stands. */
	memory = restored;
	WATCH(&memory, 100, 0);
	WATCH(&memory, 101, S);
	CHECK_INT(STEP(&delta_0, &memory, 101, 2 * S).why, COUNTER_LATCHED);
}

/* --- saturation --- */

static void
saturation(void)
{
	static const struct {
		bool seen;
		enum saturation before;
		bool at_maximum;
		enum saturation after;
		enum saturation_verdict verdict;
	} rows[] = {
		/* At first sight only suspected: it may have reached the maximum just now. */
		{false, SATURATION_NONE, false, SATURATION_NONE, SATURATION_QUIET},
		{false, SATURATION_NONE, true, SATURATION_SUSPECTED, SATURATION_QUIET},
		/* A value that did not move is saturated. One that moved was at the maximum by
		 * coincidence. */
		{true, SATURATION_SUSPECTED, true, SATURATION_REPORTED, SATURATION_STANDS},
		{true, SATURATION_SUSPECTED, false, SATURATION_NONE, SATURATION_QUIET},
		{true, SATURATION_REPORTED, true, SATURATION_REPORTED, SATURATION_QUIET},
		{true, SATURATION_REPORTED, false, SATURATION_NONE, SATURATION_ENDED},
		/* A counter that reaches the maximum while it is watched has breached on its
		 * way. */
		{true, SATURATION_NONE, true, SATURATION_NONE, SATURATION_QUIET},
		{true, SATURATION_NONE, false, SATURATION_NONE, SATURATION_QUIET},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct counter_memory memory = {.seen = rows[i].seen, .saturation = rows[i].before};
		check_row("seen %d, before %d, at maximum %d", rows[i].seen, (int)rows[i].before,
			rows[i].at_maximum);
		CHECK_INT(saturation_step(&memory, 255, rows[i].at_maximum ? 255 : 254),
			rows[i].verdict);
		CHECK_INT(memory.saturation, rows[i].after);
	}
}

static void
saturation_beyond(void)
{
	/* A driver that reads the extended counters exceeds the width: the counter is not stuck. */
	struct counter_memory memory = {0};
	CHECK_INT(saturation_step(&memory, 15, 16), SATURATION_QUIET);
	CHECK_INT(memory.saturation, SATURATION_NONE);
	memory = (struct counter_memory){.seen = true, .saturation = SATURATION_REPORTED};
	CHECK_INT(saturation_step(&memory, 15, 16), SATURATION_ENDED);
}

static const struct check_test tests[] = {
	{"a counter's first value gives no event, whatever it is", first_seen},
	{"a delta counter breaches by its growth since the scan before", delta},
	{"a delta counter's rate is per second, whatever its unit", delta_per_second},
	{"growth of exactly the threshold is not a breach", delta_exact},
	{"a rate of exactly the threshold is not a breach", velocity_exact},
	{"a rate of exactly the threshold is not a breach over any length of time",
		velocity_exact_everywhere},
	{"there is no verdict before the window is over, to the nanosecond", window},
	{"each window begins where the last one ended", new_window},
	{"a partial window is never extrapolated", no_extrapolation},
	{"with early breach a count above the whole window's limit breaches at once", early_breach},
	{"a breach is reported once and latched", latch},
	{"a reset ends a breach, and the next breach is reported again", recovery},
	{"a reset without a breach is a new start", reset_unbreached},
	{"a reset inside a window begins a new window", reset_in_window},
	{"after a restart the snapshot replaces the previous scan", after_restart},
	{"no growth is missed when time stands still", time_stands_still},
	{"no growth is missed when time runs back, and no rate is made up", time_runs_back},
	{"the whole range of 64 bits is measured", extremes},
	{"a threshold of 0 allows no growth", threshold_zero_velocity},
	{"every finding has its reason and the snapshot that it was measured from", reasons},
	{"the snapshot of a latched breach follows its counter", latched_snapshot},
	{"growth that was only watched counts in the first verdict", watching},
	{"a reset while verdicts wait ends a breach once they are given", watching_a_breach},
	{"saturation is suspected, then reported, then ended", saturation},
	{"a counter beyond its width is not saturated", saturation_beyond},
};
CHECK_MAIN(tests)
