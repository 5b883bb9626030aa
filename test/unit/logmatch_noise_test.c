/* Unit tests of logmatch's noise control. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/noise.h"
#include "../../tools/logmatch/subject.h"

#include "check.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>

#define PATTERN LOGPATTERN_ACCESS_REG_FAILED
#define PCI "0000:18:00.0"
#define S(seconds) (UINT64_C(seconds) * NUM_NS_PER_S)
#define START_NS S(1767323045)

/* --- windows --- */

static struct noise *
noise_new(void)
{
	struct noise *noise = calloc(1, sizeof *noise);
	CHECK(noise != NULL);
	return noise;
}

/* The next match, `count` times: so many are told first, and the rest is counted. */
static void
take(struct noise *noise, int64_t time_ns, uint64_t window_ns, unsigned count, unsigned told,
	uint64_t first_repeats)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t repeats = 99;
		CHECK_INT(noise_accept(noise, 5, PCI, (uint64_t)((int64_t)START_NS + time_ns),
				  window_ns, &repeats),
			i < told);
		CHECK_U64(repeats, i == 0 ? first_repeats : 0);
	}
}

static void
windows(void)
{
	static const struct {
		int64_t time_ns; /* after the start */
		uint64_t window_ns;
		unsigned count, told;
		uint64_t repeats; /* that the first of them tells */
	} rows[] = {
		{0, S(60), 3, 3, 0},
		{(int64_t)S(1), S(60), 6, 6, 0},
		/* Lines of several CPUs are not in order. */
		{-(int64_t)S(60) + 1, S(60), 1, 1, 0},
		{(int64_t)S(2), S(60), 1, 0, 0},
		{-(int64_t)S(1), S(60), 4, 0, 0},
		{(int64_t)S(60) - 1, S(60), 1, 0, 0},
		{(int64_t)S(60), S(60), NOISE_TOLD_MAX + 2, NOISE_TOLD_MAX, 6},
		{(int64_t)S(120), S(60), 1, 1, 2},
		{(int64_t)S(300), S(60), 1, 1, 0},
		/* Far back is another log. */
		{(int64_t)S(239), S(60), NOISE_TOLD_MAX + 1, NOISE_TOLD_MAX, 0},
		/* A smaller window than before. */
		{(int64_t)S(242), S(2), 1, 1, 1},
	};
	struct noise *noise = noise_new();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i);
		take(noise, rows[i].time_ns, rows[i].window_ns, rows[i].count, rows[i].told,
			rows[i].repeats);
	}
	CHECK_U64(noise->count, 1);
	free(noise);
}

static void
no_window(void)
{
	struct noise *noise = noise_new();
	take(noise, 0, 0, 3 * NOISE_TOLD_MAX, 3 * NOISE_TOLD_MAX, 0);
	CHECK_U64(noise->count, 0);
	free(noise);
}

/* The device of that number. */
static const char *
device_of(unsigned number)
{
	static char device[SUBJECT_SIZE];
	snprintf(device, sizeof device, "%04x:18:00.0", number);
	return device;
}

/* Each of 10,000 is told or counted once, and of no window more are told than may be. */
static void
counts_add_up(void)
{
	struct noise *noise = noise_new();
	uint64_t sum = 0, told = 0, time_ns = START_NS;
	for (unsigned i = 0; i < 10000; i++, time_ns += S(1) / 10) {
		uint64_t repeats;
		if (noise_accept(noise, PATTERN, device_of(i % 7), time_ns, S(60), &repeats)) {
			sum += 1 + repeats;
			told++;
		}
	}
	/* 1000 s are 16 windows of a minute and one that is not over. */
	CHECK_U64(told, UINT64_C(7) * 17 * NOISE_TOLD_MAX);
	for (unsigned i = 0; i < 7; i++) {
		uint64_t repeats;
		CHECK(noise_accept(noise, PATTERN, device_of(i), time_ns + S(60), S(60), &repeats));
		sum += repeats;
	}
	CHECK_U64(sum, 10000);
	free(noise);
}

static bool
is_told(struct noise *noise, const char *device, uint64_t time_ns)
{
	uint64_t repeats;
	return noise_accept(noise, PATTERN, device, time_ns, S(60), &repeats);
}

/* Tells all that a window has room for. */
static void
fill(struct noise *noise, const char *device, uint64_t time_ns)
{
	for (size_t i = 0; i < NOISE_TOLD_MAX; i++)
		CHECK(is_told(noise, device, time_ns));
	CHECK(!is_told(noise, device, time_ns));
}

static void
keys(void)
{
	struct noise *noise = noise_new();
	uint64_t repeats;
	fill(noise, PCI, START_NS);
	CHECK(is_told(noise, "0000:18:00.1", START_NS));
	CHECK(is_told(noise, "", START_NS));
	CHECK(noise_accept(noise, LOGPATTERN_TEMP_WARN, PCI, START_NS, S(60), &repeats));
	CHECK(!is_told(noise, PCI, START_NS));
	free(noise);
}

static void
eviction(void)
{
	struct noise *noise = noise_new();
	for (unsigned i = 1; i <= NOISE_ENTRIES_MAX; i++)
		fill(noise, device_of(i), START_NS + i);
	/* The one whose window began longest ago, the first, makes room. */
	fill(noise, device_of(5000), START_NS + S(2));
	CHECK_U64(noise->count, NOISE_ENTRIES_MAX);
	CHECK(!is_told(noise, device_of(2), START_NS + S(3)));
	CHECK(is_told(noise, device_of(1), START_NS + S(3)));
	/* Which has forgotten the second. */
	CHECK(is_told(noise, device_of(2), START_NS + S(3)));
	CHECK(!is_told(noise, device_of(5000), START_NS + S(3)));
	/* What is over goes before what is not. */
	noise_end_device(noise, device_of(900));
	CHECK(is_told(noise, device_of(6000), START_NS + S(4)));
	CHECK(!is_told(noise, device_of(5000), START_NS + S(5)));
	CHECK(is_told(noise, device_of(900), START_NS + S(5)));
	free(noise);
}

static void
end_of_device(void)
{
	struct noise *noise = noise_new();
	uint64_t repeats;
	fill(noise, PCI, START_NS);
	fill(noise, "0000:18:00.1", START_NS);
	fill(noise, "", START_NS);
	noise_end_device(noise, PCI);
	CHECK(!is_told(noise, "0000:18:00.1", START_NS));
	CHECK(!is_told(noise, "", START_NS));
	/* What was counted before is still told. */
	CHECK(noise_accept(noise, PATTERN, PCI, START_NS + 1, S(60), &repeats));
	CHECK_U64(repeats, 1);
	free(noise);
}

static const struct check_test tests[] = {
	{"each pattern of each device counts by itself", keys},
	{"within the window, either way, ten are told; of the others the count is told later",
		windows},
	{"without a window everything is told", no_window},
	{"each match is told or counted once, and never more are told than may be", counts_add_up},
	{"of too many pairs the one whose window began longest ago is forgotten", eviction},
	{"what was said of a device that recovered is told again", end_of_device},
};
CHECK_MAIN(tests)
