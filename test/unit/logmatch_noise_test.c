/* Unit tests of logmatch's noise: limiting the number of reports. */
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

/* Accept the next match `count` times: the first `told` are reported, and the rest is counted. */
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
		uint64_t repeats; /* in the first report */
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

/* Return the device with that number. */
static const char *
device_of(unsigned number)
{
	static char device[SUBJECT_SIZE];
	snprintf(device, sizeof device, "%04x:18:00.0", number);
	return device;
}

/* Each of 10,000 is reported or counted once, and no window exceeds its limit of reports. */
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

/* Report up to the window's limit. */
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
	/* The pair whose window began longest ago, the first, is evicted. */
	fill(noise, device_of(5000), START_NS + S(2));
	CHECK_U64(noise->count, NOISE_ENTRIES_MAX);
	CHECK(!is_told(noise, device_of(2), START_NS + S(3)));
	CHECK(is_told(noise, device_of(1), START_NS + S(3)));
	/* That evicted the second one. */
	CHECK(is_told(noise, device_of(2), START_NS + S(3)));
	CHECK(!is_told(noise, device_of(5000), START_NS + S(3)));
	/* A finished window is evicted before an open one. */
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
	/* The count from before is still reported. */
	CHECK(noise_accept(noise, PATTERN, PCI, START_NS + 1, S(60), &repeats));
	CHECK_U64(repeats, 1);
	free(noise);
}

static const struct check_test tests[] = {
	{"each pattern of each device is counted separately", keys},
	{"a window reports ten matches and, with the next report, the count of the others",
		windows},
	{"without a window every match is reported", no_window},
	{"each match is reported or counted once, and never more than the limit is reported",
		counts_add_up},
	{"of too many pairs the one whose window began longest ago is evicted", eviction},
	{"after a device's recovery its matches are reported again", end_of_device},
};
CHECK_MAIN(tests)
