/* Unit tests of when: parsing and formatting times and spans for people. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "when.h"

#include "check.h"
#include "num.h"

/* 2026-11-21T03:00:00Z */
#define NOW_NS (UINT64_C(1795230000) * NUM_NS_PER_S)
#define DAY_S UINT64_C(86400)

static void
taken(void)
{
	static const struct {
		const char *text;
		uint64_t ago_s;
	} rows[] = {
		{"0", 0},
		{"45s", 45},
		{"90m", 5400},
		{"12h", 43200},
		{"7d", 7 * DAY_S},
		{"2026-11-21", 3 * 3600},
		{"today", 3 * 3600},
		{"yesterday", DAY_S + 3 * 3600},
		{"2026-11-20", DAY_S + 3 * 3600},
		{"2026-11-20 18:00", 9 * 3600},
		{"2026-11-20T18:00", 9 * 3600},
		{"2026-11-20 18:00Z", 9 * 3600},
		{"2026-11-20 18:00:30", 9 * 3600 - 30},
		{"2026-11-20 18:00:30Z", 9 * 3600 - 30},
		{"2026-11-20T18:00:00Z", 9 * 3600},
		{"2026-11-20T18:00:00+01:00", 10 * 3600},
		{"2026-11-20T18:00:00-08:00", 3600},
		{"1970-01-01", UINT64_C(1795230000)},
		{"2024-02-29", UINT64_C(1795230000) - UINT64_C(1709164800)},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		uint64_t ns = 1;
		check_row("%s", rows[i].text);
		CHECK_STR(when_parse(rows[i].text, NOW_NS, &ns), NULL);
		CHECK_U64(ns, NOW_NS - rows[i].ago_s * NUM_NS_PER_S);
	}
}

static void
fractions(void)
{
	uint64_t ns;
	CHECK_STR(when_parse("2026-11-20T18:00:00.25Z", NOW_NS, &ns), NULL);
	CHECK_U64(ns % NUM_NS_PER_S, 250 * NUM_NS_PER_MS);
	CHECK_STR(when_parse("2026-11-20 18:00:00.25", NOW_NS, &ns), NULL);
	CHECK_U64(ns % NUM_NS_PER_S, 250 * NUM_NS_PER_MS);
	CHECK_STR(when_parse("1500ms", NOW_NS, &ns), NULL);
	CHECK_U64(NOW_NS - ns, 1500 * NUM_NS_PER_MS);
}

static void
refused(void)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{"", "not a duration"},
		{" ", "not a duration"},
		{"12", "not a duration"},
		{"2026", "not a duration"},
		{"h", "not a duration"},
		{"-2h", "not a duration"},
		{"2w", "not a duration"},
		{"2 h", "not a duration"},
		{"2h ", "not a duration"},
		{"tomorrow", "not a duration"},
		{"yesterdays", "not a duration"},
		{"18:00", "not a duration"},
		{"2026-11", "not a duration"},
		{"2026-11-20 ", "not a duration"},
		{"2026-11-20Z", "not a duration"},
		{"2026-11-20 18", "not a duration"},
		{"2026-11-20 1800", "not a duration"},
		{"2026-11-20 18:0", "not a duration"},
		{"2026-11-20  18:00", "not a duration"},
		{"2026-11-20 18:00 ", "not a duration"},
		{"2026-11-20 18:00ZZ", "not a duration"},
		{"2026-11-20 18:00Zx", "not a duration"},
		{"2026-11-20_18:00", "not a duration"},
		{"2026-11-20 24:00", "not a duration"},
		{"2026-11-20 18:60", "not a duration"},
		{"2026-02-29", "not a duration"},
		{"2026-13-01", "not a duration"},
		{"2026-11-31", "not a duration"},
		{"20.11.2026", "not a duration"},
		{"1969-12-31", "not a duration"},
		{"2026-11-20T18:00:00+25:00", "not a duration"},
		{"2026-11-20 18:00:00.000000000000000000000000000000000000", "not a duration"},
		{"99999d", "before 1970"},
		{"99999999999999999999999999d", "before 1970"},
		{"2026-11-21 03:01", "in the future"},
		{"2026-11-21T03:00:00-01:00", "in the future"},
		{"9999-12-31", "not a duration"}, /* beyond 64 bits */
		{"2500-01-01", "in the future"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		uint64_t ns = 42;
		check_row("'%s'", rows[i].text);
		CHECK_HAS(when_parse(rows[i].text, NOW_NS, &ns), rows[i].reason);
		CHECK_U64(ns, 42);
	}
}

static void
round_trip(void)
{
	char text[WHEN_TIME_SIZE];
	uint64_t ns;
	CHECK_STR(when_time(NOW_NS + 999999999, text), "2026-11-21 03:00:00");
	CHECK_STR(when_parse(text, NOW_NS, &ns), NULL);
	CHECK_U64(ns, NOW_NS);
	CHECK_STR(when_time(0, text), "1970-01-01 00:00:00");
	CHECK_INT(strlen(when_time(UINT64_MAX, text)), WHEN_TIME_SIZE - 1);
}

static void
spans(void)
{
	static const struct {
		uint64_t s;
		const char *text;
	} rows[] = {
		{0, "0 s"},
		{59, "59 s"},
		{60, "1 min"},
		{3599, "59 min"},
		{3600, "1 h 0 min"},
		{11520, "3 h 12 min"},
		{DAY_S - 1, "23 h 59 min"},
		{DAY_S, "1 d 0 h"},
		{DAY_S * 2 + 4 * 3600 + 3599, "2 d 4 h"},
		{DAY_S * 365, "365 d 0 h"},
	};
	char text[WHEN_SPAN_SIZE];
	for (size_t i = 0; i < CHECK_COUNT(rows); i++)
		CHECK_STR(when_span(rows[i].s * NUM_NS_PER_S, text), rows[i].text);
	CHECK_STR(when_span(NUM_NS_PER_S - 1, text), "0 s");
	CHECK_STR(when_span(UINT64_MAX, text), "213503 d 23 h");
}

static const struct check_test tests[] = {
	{"--since accepts durations, dates, times of day in UTC and RFC 3339", taken},
	{"fractions of seconds count", fractions},
	{"any other text, and a time in the future, is refused with a reason", refused},
	{"a time printed in a table can be parsed again", round_trip},
	{"a span is printed in its two largest units", spans},
};
CHECK_MAIN(tests)
