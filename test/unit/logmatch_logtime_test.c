/* Unit tests of logmatch's logtime and civil: the time of a line. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/lineform.h"
#include "../../tools/logmatch/logtime.h"

#include "check.h"
#include "clock.h"
#include "num.h"

#include <stdlib.h>
#include <time.h>

static uint64_t
moment(const char *stamp)
{
	uint64_t ns = 0;
	CHECK(clock_parse(stamp, &ns));
	return ns;
}

/* Check a line's time, as a stamp, when it is read at `now` in the time zone. */
static void
check_moment(const char *zone, const char *now, const char *line, const char *expected)
{
	struct logtime base = {.boot_ns = NUM_NS_PER_S, .now_ns = moment(now)};
	struct strbuf scratch = {0};
	struct logline parsed;
	char stamp[CLOCK_STAMP_SIZE];

	check_row("TZ=%s, now %s: %s", zone, now, line);
	setenv("TZ", zone, 1);
	tzset();
	CHECK_INT(lineform_parse(LOGLINE_AUTO, line, strlen(line), false, &scratch, &parsed), 0);
	/* Twice: computed, and from the cache. */
	for (int i = 0; i < 2; i++) {
		clock_format(logtime_resolve(&base, &parsed), stamp);
		CHECK_STR(stamp, expected);
	}
	strbuf_fini(&scratch);
}

struct row {
	const char *zone, *now, *line, *expected;
};

static void
check_moments(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_moment(rows[i].zone, rows[i].now, rows[i].line, rows[i].expected);
}

/* POSIX notation, which needs no database of time zones. */
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define NEW_YORK "EST5EDT,M3.2.0,M11.1.0"
#define KOLKATA "IST-5:30"
#define LORD_HOWE "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"

static void
clocks(void)
{
	static const struct row rows[] = {
		{BERLIN, "2026-06-01T00:00:00Z", "x", "2026-06-01T00:00:00.000000Z"},
		{BERLIN, "2026-06-01T00:00:00Z", "[  +0.000093] x", "2026-06-01T00:00:00.000000Z"},
		{BERLIN, "2026-06-01T00:00:00Z", "[    2.500000] x", "1970-01-01T00:00:03.500000Z"},
		{BERLIN, "2026-06-01T00:00:00Z", "[18446744072.999999] x",
			"2554-07-21T23:34:33.709551Z"},
		{BERLIN, "2026-06-01T00:00:00Z", "2030-01-02T03:04:05Z h kernel: x",
			"2030-01-02T03:04:05.000000Z"},
	};
	check_moments(rows, CHECK_COUNT(rows));
}

static void
zones(void)
{
	static const struct row rows[] = {
		{"UTC", "2026-06-01T00:00:00Z", "[Thu Apr 23 19:04:25 2020] x",
			"2020-04-23T19:04:25.000000Z"},
		{BERLIN, "2026-06-01T00:00:00Z", "[Thu Apr 23 19:04:25 2020] x",
			"2020-04-23T17:04:25.000000Z"},
		{BERLIN, "2026-06-01T00:00:00Z", "[Thu Jan 23 19:04:25 2020] x",
			"2020-01-23T18:04:25.000000Z"},
		{NEW_YORK, "2026-06-01T00:00:00Z", "[Thu Jan 23 19:04:25 2020] x",
			"2020-01-24T00:04:25.000000Z"},
		{KOLKATA, "2026-06-01T00:00:00Z", "2020-01-23T19:04:25.000001 h kernel: x",
			"2020-01-23T13:34:25.000001Z"},
		{KOLKATA, "2026-06-01T00:00:00Z", "1970-01-01T01:00:00 h kernel: x",
			"1970-01-01T00:00:00.000000Z"},
		{"<-12>12", "2026-06-01T00:00:00Z", "2553-12-31T23:59:59 h kernel: x",
			"2554-01-01T11:59:59.000000Z"},
	};
	check_moments(rows, CHECK_COUNT(rows));
}

static void
clock_changes(void)
{
	static const struct row rows[] = {
		/* Clocks forward: 02:00 to 02:59 does not exist; such a time counts as an hour
		 * later. */
		{BERLIN, "2026-06-01T00:00:00Z", "[Sun Mar 29 01:59:59 2026] x",
			"2026-03-29T00:59:59.000000Z"},
		{BERLIN, "2026-06-01T00:00:00Z", "[Sun Mar 29 02:30:00 2026] x",
			"2026-03-29T01:30:00.000000Z"},
		{BERLIN, "2026-06-01T00:00:00Z", "[Sun Mar 29 03:00:00 2026] x",
			"2026-03-29T01:00:00.000000Z"},
		{BERLIN, "2026-03-29T00:00:00Z", "[Sun Mar 29 03:30:00 2026] x",
			"2026-03-29T01:30:00.000000Z"},
		/* Clocks back: 02:00 to 02:59 occurs twice. */
		{BERLIN, "2026-12-01T00:00:00Z", "[Sun Oct 25 01:59:59 2026] x",
			"2026-10-24T23:59:59.000000Z"},
		{BERLIN, "2026-12-01T00:00:00Z", "[Sun Oct 25 02:30:00 2026] x",
			"2026-10-25T01:30:00.000000Z"},
		{BERLIN, "2026-10-25T00:30:01Z", "[Sun Oct 25 02:30:00 2026] x",
			"2026-10-25T00:30:00.000000Z"},
		{BERLIN, "2026-10-25T00:29:59Z", "[Sun Oct 25 02:30:00 2026] x",
			"2026-10-25T00:30:00.000000Z"},
		{BERLIN, "2026-10-25T01:30:01Z", "[Sun Oct 25 02:30:00 2026] x",
			"2026-10-25T01:30:00.000000Z"},
		{BERLIN, "2026-10-25T01:29:59Z", "[Sun Oct 25 02:30:00 2026] x",
			"2026-10-25T01:30:00.000000Z"},
		{BERLIN, "2026-12-01T00:00:00Z", "[Sun Oct 25 03:00:00 2026] x",
			"2026-10-25T02:00:00.000000Z"},
		{NEW_YORK, "2026-12-01T00:00:00Z", "[Sun Mar  8 02:30:00 2026] x",
			"2026-03-08T07:30:00.000000Z"},
		{NEW_YORK, "2026-12-01T00:00:00Z", "[Sun Nov  1 01:15:00 2026] x",
			"2026-11-01T06:15:00.000000Z"},
		{NEW_YORK, "2026-11-01T05:15:01Z", "[Sun Nov  1 01:15:00 2026] x",
			"2026-11-01T05:15:00.000000Z"},
		/* By half an hour. */
		{LORD_HOWE, "2026-12-01T00:00:00Z", "[Sun Apr  5 01:45:00 2026] x",
			"2026-04-04T15:15:00.000000Z"},
		{LORD_HOWE, "2026-04-04T14:45:01Z", "[Sun Apr  5 01:45:00 2026] x",
			"2026-04-04T14:45:00.000000Z"},
		{BERLIN, "2026-12-01T00:00:00Z", "Oct 25 02:30:00 h kernel: x",
			"2026-10-25T01:30:00.000000Z"},
	};
	check_moments(rows, CHECK_COUNT(rows));
}

static void
years(void)
{
	static const struct row rows[] = {
		{"UTC", "2026-06-01T00:00:00Z", "May 31 23:59:59 h kernel: x",
			"2026-05-31T23:59:59.000000Z"},
		{"UTC", "2026-06-01T00:00:00Z", "Jun  2 00:00:00 h kernel: x",
			"2026-06-02T00:00:00.000000Z"},
		{"UTC", "2026-06-01T00:00:00Z", "Jun  2 00:00:00.000001 h kernel: x",
			"2025-06-02T00:00:00.000001Z"},
		{"UTC", "2026-06-01T00:00:00Z", "[Jun 2 00:01] x", "2025-06-02T00:01:00.000000Z"},
		/* The year's end. */
		{"UTC", "2027-01-01T00:00:01Z", "Dec 31 23:59:59 h kernel: x",
			"2026-12-31T23:59:59.000000Z"},
		{"UTC", "2027-01-01T00:00:01Z", "Jan  1 00:00:00 h kernel: x",
			"2027-01-01T00:00:00.000000Z"},
		{"UTC", "2026-12-31T23:59:59Z", "Jan  1 00:00:00 h kernel: x",
			"2027-01-01T00:00:00.000000Z"},
		{"UTC", "2026-12-30T23:59:59Z", "Jan  1 00:00:00 h kernel: x",
			"2026-01-01T00:00:00.000000Z"},
		{"UTC", "2027-01-02T00:00:00Z", "Dec 31 23:59:60 h kernel: x",
			"2027-01-01T00:00:00.000000Z"},
		{KOLKATA, "2026-12-30T19:00:00Z", "Jan  1 00:29:00 h kernel: x",
			"2026-12-31T18:59:00.000000Z"},
		{KOLKATA, "2026-12-31T19:00:00Z", "Jan  1 00:29:00 h kernel: x",
			"2026-12-31T18:59:00.000000Z"},
		{NEW_YORK, "2027-01-01T04:00:00Z", "Dec 31 22:59:00 h kernel: x",
			"2027-01-01T03:59:00.000000Z"},
		{NEW_YORK, "2026-01-01T06:00:00Z", "Jan  2 01:00:00 h kernel: x",
			"2026-01-02T06:00:00.000000Z"},
		{NEW_YORK, "2026-01-01T06:00:00Z", "Jan  2 01:00:01 h kernel: x",
			"2025-01-02T06:00:01.000000Z"},
		/* 29 February exists only in leap years. */
		{"UTC", "2026-06-01T00:00:00Z", "Feb 29 12:00:00 h kernel: x",
			"2024-02-29T12:00:00.000000Z"},
		{"UTC", "2028-02-28T12:00:00Z", "Feb 29 12:00:00 h kernel: x",
			"2028-02-29T12:00:00.000000Z"},
		{"UTC", "2028-02-28T11:59:59Z", "Feb 29 12:00:00 h kernel: x",
			"2024-02-29T12:00:00.000000Z"},
		{"UTC", "2104-02-28T11:59:59Z", "Feb 29 12:00:00 h kernel: x",
			"2096-02-29T12:00:00.000000Z"},
		{"UTC", "2026-06-01T00:00:00Z", "Mar  1 00:00:00 h kernel: x",
			"2026-03-01T00:00:00.000000Z"},
		/* A clock that was never set. */
		{"UTC", "1970-01-01T00:00:10Z", "Apr 23 19:04:25 h kernel: x",
			"1970-01-01T00:00:10.000000Z"},
		{"UTC", "2554-07-21T23:00:00Z", "Apr 23 19:04:25 h kernel: x",
			"2553-04-23T19:04:25.000000Z"},
	};
	check_moments(rows, CHECK_COUNT(rows));
}

/* Lines in any order with one shared cache give the same times as each line alone. */
static void
memory(void)
{
	struct logtime base = {.now_ns = moment("2026-12-01T00:00:00Z")};
	setenv("TZ", BERLIN, 1);
	tzset();
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t quarter = i * 7919 % 35040; /* of the year 2026 */
		const struct logline line = {.clock = i % 3 == 0 ? LOGLINE_YEARLESS : LOGLINE_LOCAL,
			.time_ns = (UINT64_C(1767225600) * (i % 3 != 0) + 900 * quarter) *
				   NUM_NS_PER_S};
		struct logtime fresh = {.now_ns = base.now_ns};
		check_row("quarter %d", (int)quarter);
		CHECK_U64(logtime_resolve(&base, &line), logtime_resolve(&fresh, &line));
	}
}

/* Against libc's gmtime_r(), which uses no time zone. */
static void
calendar(void)
{
	for (uint64_t seconds = 0; seconds < UINT64_C(18429292800); seconds += 86400 * 3 + 12345) {
		time_t moment_s = (time_t)seconds;
		struct logtime_date date;
		struct tm expected;
		gmtime_r(&moment_s, &expected);
		logtime_date_of(seconds, &date);
		check_row("%lld", (long long)moment_s);
		CHECK(logtime_is_valid(&date));
		CHECK_U64(logtime_seconds(&date), seconds);
		CHECK_INT(date.year, expected.tm_year + 1900);
		CHECK_INT(date.month, expected.tm_mon + 1);
		CHECK_INT(date.day, expected.tm_mday);
		CHECK_INT(date.hour, expected.tm_hour);
		CHECK_INT(date.minute, expected.tm_min);
		CHECK_INT(date.second, expected.tm_sec);
	}
}

static void
no_dates(void)
{
	static const struct logtime_date rows[] = {{1969, 1, 1, 0, 0, 0}, {2554, 1, 1, 0, 0, 0},
		{2026, 0, 1, 0, 0, 0}, {2026, 13, 1, 0, 0, 0}, {2026, 1, 0, 0, 0, 0},
		{2026, 1, 32, 0, 0, 0}, {2026, 2, 29, 0, 0, 0}, {2100, 2, 29, 0, 0, 0},
		{2028, 2, 30, 0, 0, 0}, {2026, 4, 31, 0, 0, 0}, {2026, 1, 1, 24, 0, 0},
		{2026, 1, 1, 0, 60, 0}, {2026, 1, 1, 0, 0, 61}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%zu", i);
		CHECK(!logtime_is_valid(&rows[i]));
	}
	const struct logtime_date leap_day = {2000, 2, 29, 23, 59, 60};
	CHECK(logtime_is_valid(&leap_day));
}

/* The log's clock is not NTP's: after weeks a record that was written just now may seem minutes
 * old, or in the future. */
static void
lag(void)
{
	static const struct {
		uint64_t time_s, since_s, until_s;
		uint64_t expected_s;
	} rows[] = {
		{100, 0, 1000, 100},     /* from before the first read to the end */
		{900, 990, 1000, 990},   /* behind */
		{905, 990, 1000, 995},   /* as far behind */
		{911, 990, 1000, 1000},  /* no longer */
		{1300, 990, 1000, 1000}, /* ahead */
		{1290, 990, 1000, 990},
		{1289, 989, 1000, 989},
		{UINT64_MAX / NUM_NS_PER_S, 990, 1000, UINT64_MAX / NUM_NS_PER_S - 300},
	};
	struct logtime base = {.boot_ns = 0};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct logline line = {
			.clock = LOGLINE_BOOT, .time_ns = rows[i].time_s * NUM_NS_PER_S};
		check_row("%zu", i);
		logtime_follow_record(&base, line.time_ns, rows[i].since_s * NUM_NS_PER_S,
			rows[i].until_s * NUM_NS_PER_S);
		CHECK_U64(logtime_resolve(&base, &line), rows[i].expected_s * NUM_NS_PER_S);
	}
	/* Less than a second is no difference. */
	base = (struct logtime){.boot_ns = 0};
	logtime_follow_record(&base, 5 * NUM_NS_PER_S, 6 * NUM_NS_PER_S - 1, UINT64_MAX);
	CHECK(base.lag_ns == 0);
	base.lag_ns = INT64_MIN;
	const struct logline first = {.clock = LOGLINE_BOOT, .time_ns = 1};
	CHECK_U64(logtime_resolve(&base, &first), 0);
}

static const struct check_test tests[] = {
	{"a line has the time of its clock, and without one the time of reading", clocks},
	{"a civil time is in the time zone of TZ", zones},
	{"a civil time is found on days of clock changes", clock_changes},
	{"a date without a year is in the latest year that is not in the future", years},
	{"caching the time zone changes no result", memory},
	{"a record that was just written is not late or early by more than a second", lag},
	{"the calendar matches libc's", calendar},
	{"a date that is not in the calendar is invalid", no_dates},
};
CHECK_MAIN(tests)
