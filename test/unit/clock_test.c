/* Unit tests of clock: the wall clock and boot time that each record carries. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include "check.h"
#include "num.h"

#include <ctype.h>
#include <limits.h>
#include <time.h>

static void
formats(void)
{
	static const struct {
		uint64_t ns;
		const char *stamp;
	} rows[] = {
		{0, "1970-01-01T00:00:00.000000Z"},
		{999, "1970-01-01T00:00:00.000000Z"},
		{1000, "1970-01-01T00:00:00.000001Z"},
		{UINT64_C(951782399999999999), "2000-02-28T23:59:59.999999Z"},
		{UINT64_C(951782400000000000), "2000-02-29T00:00:00.000000Z"},
		{UINT64_C(1709209845123456789), "2024-02-29T12:30:45.123456Z"},
		{UINT64_C(1767323045678901000), "2026-01-02T03:04:05.678901Z"},
		{UINT64_C(4107542400000000000), "2100-03-01T00:00:00.000000Z"},
		{UINT64_MAX, "2554-07-21T23:34:33.709551Z"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char stamp[CLOCK_STAMP_SIZE];
		clock_format(rows[i].ns, stamp);
		CHECK_STR(stamp, rows[i].stamp);
	}
}

static void
now_has_both(void)
{
	struct clock_moment a, b;
	char first[CLOCK_STAMP_SIZE];
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_format((uint64_t)wall.tv_sec * NUM_NS_PER_S + (uint64_t)wall.tv_nsec, first);
	clock_now(&a);
	clock_now(&b);
	CHECK(a.boottime_ns > 0);
	CHECK(b.boottime_ns >= a.boottime_ns);
	CHECK_INT((int64_t)strlen(a.stamp), CLOCK_STAMP_SIZE - 1);
	/* A later stamp sorts behind; only a step of the clock could break this. */
	CHECK(strcmp(a.stamp, first) >= 0);
	CHECK(strcmp(b.stamp, a.stamp) >= 0);
}

static void
stamp_shape(void)
{
	struct clock_moment now;
	clock_now(&now);
	static const char shape[] = "dddd-dd-ddTdd:dd:dd.ddddddZ";
	for (size_t i = 0; i < sizeof shape; i++) {
		check_row("character %zu", i);
		CHECK(shape[i] == 'd' ? isdigit((unsigned char)now.stamp[i]) != 0
				      : now.stamp[i] == shape[i]);
	}
}

static void
monotonic(void)
{
	uint64_t before = clock_monotonic_ns();
	nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	CHECK(clock_monotonic_ns() - before >= 2000000);
}

#define NS(seconds, ns) (UINT64_C(seconds) * NUM_NS_PER_S + (ns))

static void
parses(void)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"2026-01-02T03:04:05Z", NS(1767323045, 0)},
		{"2026-01-02t03:04:05z", NS(1767323045, 0)},
		/* Any number of digits; those beyond nanoseconds are cut, not rounded. */
		{"2026-01-02T03:04:05.6Z", NS(1767323045, 600000000)},
		{"2026-01-02T03:04:05.678901Z", NS(1767323045, 678901000)},
		{"2026-01-02T03:04:05.123456789Z", NS(1767323045, 123456789)},
		{"2026-01-02T03:04:05.0000000019Z", NS(1767323045, 1)},
		{"2026-01-02T03:04:05.99999999999999999999999999999999Z",
			NS(1767323045, 999999999)},
		{"2026-01-02T03:04:05.0Z", NS(1767323045, 0)},
		/* Any offset; its sign says how far the clock is ahead of UTC. */
		{"2026-01-02T05:04:05+02:00", NS(1767323045, 0)},
		{"2026-01-02T03:04:05+00:00", NS(1767323045, 0)},
		{"2026-01-02T03:04:05-00:00", NS(1767323045, 0)},
		{"2026-01-01T22:34:05.5-04:30", NS(1767323045, 500000000)},
		{"2026-01-03T03:03:05+23:59", NS(1767323045, 0)},
		{"1970-01-01T01:00:00+01:00", 0},
		{"2000-02-29T00:00:00Z", NS(951782400, 0)},
		{"2024-02-29T12:30:45Z", NS(1709209845, 0)},
		{"2100-02-28T00:00:00Z", NS(4107456000, 0)},
		/* A leap second is the second after it: POSIX time has no other. */
		{"2016-12-31T23:59:60Z", NS(1483228800, 0)},
		{"2016-12-31T23:59:60.25Z", NS(1483228800, 250000000)},
		{"2017-01-01T00:59:60+01:00", NS(1483228800, 0)},
		/* The last nanosecond that fits in 64 bits. */
		{"2554-07-21T23:34:33.709551615Z", UINT64_MAX},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		uint64_t ns = 0;
		check_row("%s", rows[i].text);
		CHECK(clock_parse(rows[i].text, &ns));
		CHECK_U64(ns, rows[i].ns);
	}
}

static void
refuses(void)
{
	static const char *const rows[] = {"", "T", "Z", "garbage", "2026", "2026-01-02",
		"03:04:05Z", "1767323045", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z",
		"2026-01-02T03:04Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05,5Z",
		"2026-01-02T03:04:05.5", "2026-01-02T03:04:05.-5Z", "2026-01-02T03:04:05ZZ",
		"2026-01-02T03:04:05Z ", " 2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z\n",
		"2026-1-02T03:04:05Z", "2026-01-2T03:04:05Z", "2026-01-02T3:04:05Z",
		"20260102T030405Z", "02026-01-02T03:04:05Z", "+2026-01-02T03:04:05Z",
		"-2026-01-02T03:04:05Z", "2026-01-02T+3:04:05Z", "2026-01-02T03: 4:05Z",
		/* no such day, hour, minute or second */
		"2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-00T03:04:05Z",
		"2026-01-32T03:04:05Z", "2026-02-31T03:04:05Z", "2026-02-29T03:04:05Z",
		"2100-02-29T03:04:05Z", "2026-04-31T03:04:05Z", "2026-01-02T24:00:00Z",
		"2026-01-02T03:60:05Z", "2026-01-02T03:04:61Z",
		/* no such offset */
		"2026-01-02T03:04:05+2", "2026-01-02T03:04:05+02", "2026-01-02T03:04:05+0200",
		"2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+02:60",
		"2026-01-02T03:04:05 02:00", "2026-01-02T03:04:05+02:00Z",
		/* years out of the range of 64 bits of nanoseconds since 1970 */
		"0000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01",
		"2554-07-21T23:34:33.709551616Z", "2554-07-21T23:34:34Z", "2555-01-01T00:00:00Z",
		"9999-12-31T23:59:59Z", "9999-12-31T23:59:60Z", "10000-01-01T00:00:00Z"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		uint64_t ns = 4711;
		check_row("\"%s\"", rows[i]);
		CHECK(!clock_parse(rows[i], &ns));
		CHECK_U64(ns, 4711);
	}
}

static void
stamps_parse(void)
{
	static const uint64_t rows[] = {0, NS(951782400, 0), NS(1709209845, 123456000),
		NS(1767323045, 999999000), NS(18446744073, 709551000)};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char stamp[CLOCK_STAMP_SIZE];
		uint64_t ns = 0;
		clock_format(rows[i], stamp);
		check_row("%s", stamp);
		CHECK(clock_parse(stamp, &ns));
		CHECK_U64(ns, rows[i]);
	}
}

static void
milliseconds_left(void)
{
	uint64_t now_ns = clock_monotonic_ns();
	CHECK_INT(clock_left_ms(0), 0);
	CHECK_INT(clock_left_ms(now_ns), 0);
	/* However long this takes, part of the last millisecond is left, and it counts. */
	uint64_t far_ns = now_ns + 1000000 * NUM_NS_PER_S;
	int left_ms = clock_left_ms(far_ns);
	now_ns = clock_monotonic_ns();
	CHECK((uint64_t)left_ms * NUM_NS_PER_MS >= far_ns - now_ns);
	CHECK(left_ms <= 1000000000);
	CHECK_INT(clock_left_ms(UINT64_MAX), INT_MAX);
}

static void
nanoseconds_left(void)
{
	CHECK_INT(clock_left_ns(7, 5), 2);
	CHECK_INT(clock_left_ns(5, 5), 0);
	CHECK_INT(clock_left_ns(5, 7), 0);
	CHECK(clock_left_ns(UINT64_MAX - 1, 1) == UINT64_MAX - 2);
	CHECK(clock_left_ns(UINT64_MAX, 7) == UINT64_MAX);
}

static const struct check_test tests[] = {
	{"a stamp is UTC in microseconds, cut and never rounded, with leap days", formats},
	{"clock_now() reads both clocks at one moment", now_has_both},
	{"a stamp always has the same shape", stamp_shape},
	{"the monotonic clock counts nanoseconds", monotonic},
	{"a moment is parsed with any fraction, any offset, and leap days and seconds", parses},
	{"a malformed moment, or one beyond 64 bits, is rejected and sets nothing", refuses},
	{"the milliseconds until a moment are rounded up, 0 once it is past, and at most INT_MAX",
		milliseconds_left},
	{"the nanoseconds until a moment are 0 once it is past, and never stays never",
		nanoseconds_left},
	{"every stamp parses to the moment it was made of", stamps_parse},
};
CHECK_MAIN(tests)
