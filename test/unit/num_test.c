/* Unit tests of num: the whole text must be the number. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "num.h"

#include "check.h"

#define UNTOUCHED UINT64_C(4242)

struct number {
	const char *text;
	uint64_t max;
	enum num_status status;
	uint64_t value;
};

static void
check_numbers(enum num_status (*parse)(const char *, uint64_t, uint64_t *),
	const struct number *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t out = UNTOUCHED;
		check_row("\"%s\"", rows[i].text);
		CHECK_INT(parse(rows[i].text, rows[i].max, &out), rows[i].status);
		CHECK_U64(out, rows[i].status == NUM_OK ? rows[i].value : UNTOUCHED);
	}
}

static void
decimal(void)
{
	static const struct number rows[] = {
		{"0", UINT64_MAX, NUM_OK, 0},
		{"7", UINT64_MAX, NUM_OK, 7},
		{"007", UINT64_MAX, NUM_OK, 7},
		{"000000000000000000000000000000000000001", UINT64_MAX, NUM_OK, 1},
		{"18446744073709551615", UINT64_MAX, NUM_OK, UINT64_MAX},
		{"65535", 65535, NUM_OK, 65535},
		{"0", 0, NUM_OK, 0},
	};
	check_numbers(num_parse_u64, rows, CHECK_COUNT(rows));
}

static void
decimal_malformed(void)
{
	static const char *const rows[] = {"", " ", "-1", "+1", "- 1", " 1", "1 ", "1\n", "\t1",
		"1x", "x1", "0x10", "1.0", "1e3", "N/A (no PMA)", "--1", "1,000", "\xD9\xA1",
		"18446744073709551616x", "1_000"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct number row = {rows[i], UINT64_MAX, NUM_MALFORMED, 0};
		check_numbers(num_parse_u64, &row, 1);
	}
}

static void
decimal_range(void)
{
	static const struct number rows[] = {
		{"18446744073709551616", UINT64_MAX, NUM_RANGE, 0},
		{"18446744073709551620", UINT64_MAX, NUM_RANGE, 0},
		{"36893488147419103232", UINT64_MAX, NUM_RANGE, 0},
		{"99999999999999999999999999", UINT64_MAX, NUM_RANGE, 0},
		/* These would wrap to small values while parsing, more than once. */
		{"340282366920938463463374607431768211457", UINT64_MAX, NUM_RANGE, 0},
		{"65536", 65535, NUM_RANGE, 0},
		{"1", 0, NUM_RANGE, 0},
	};
	check_numbers(num_parse_u64, rows, CHECK_COUNT(rows));
}

static void
hexadecimal(void)
{
	static const struct number rows[] = {
		{"0x0", UINT64_MAX, NUM_OK, 0},
		{"0x11", UINT64_MAX, NUM_OK, 17},
		{"0X1f", UINT64_MAX, NUM_OK, 31},
		{"0xFfFf", 0xFFFF, NUM_OK, 0xFFFF},
		{"0xffffffffffffffff", UINT64_MAX, NUM_OK, UINT64_MAX},
		{"0x0000000000000000001", UINT64_MAX, NUM_OK, 1},
		{"0x10000", 0xFFFF, NUM_RANGE, 0},
		{"0x10000000000000000", UINT64_MAX, NUM_RANGE, 0},
		{"0xfffffffffffffffff", UINT64_MAX, NUM_RANGE, 0},
		{"", UINT64_MAX, NUM_MALFORMED, 0},
		{"0", UINT64_MAX, NUM_MALFORMED, 0},
		{"0x", UINT64_MAX, NUM_MALFORMED, 0},
		{"x1", UINT64_MAX, NUM_MALFORMED, 0},
		{"11", UINT64_MAX, NUM_MALFORMED, 0},
		{"0x1g", UINT64_MAX, NUM_MALFORMED, 0},
		{"0x1 ", UINT64_MAX, NUM_MALFORMED, 0},
		{" 0x1", UINT64_MAX, NUM_MALFORMED, 0},
		{"-0x1", UINT64_MAX, NUM_MALFORMED, 0},
		{"0x-1", UINT64_MAX, NUM_MALFORMED, 0},
		{"0x0x1", UINT64_MAX, NUM_MALFORMED, 0},
	};
	check_numbers(num_parse_hex, rows, CHECK_COUNT(rows));
}

static void
doubles(void)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {{"0", 0}, {"120.0", 120}, {"-2.5", -2.5}, {"+1", 1}, {"1e3", 1000},
		{"2.5E-1", 0.25}, {"1.7976931348623157e308", 1.7976931348623157e308}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		double out = -1;
		check_row("\"%s\"", rows[i].text);
		CHECK_INT(num_parse_double(rows[i].text, &out), NUM_OK);
		CHECK_NEAR(out, rows[i].value);
	}
}

static void
doubles_refused(void)
{
	static const char *const malformed[] = {"", "inf", "-inf", "INF", "infinity", "nan", "NaN",
		"nan(1)", ".inf", ".nan", "0x10", "0x1p3", " 1", "1 ", "1\n", "1..2", "1.2.3",
		"--1", "+-1", "1e", "e5", "-", "+", ".", "1,5", "1f", "10%", "1e3.5", "1-2"};
	for (size_t i = 0; i < CHECK_COUNT(malformed); i++) {
		double out = 42;
		check_row("\"%s\"", malformed[i]);
		CHECK_INT(num_parse_double(malformed[i], &out), NUM_MALFORMED);
		CHECK_NEAR(out, 42);
	}
}

static void
doubles_range(void)
{
	static const char *const beyond[] = {"1e309", "-1e309", "1e99999999999", "2e308"};
	for (size_t i = 0; i < CHECK_COUNT(beyond); i++) {
		double out = 42;
		check_row("\"%s\"", beyond[i]);
		CHECK_INT(num_parse_double(beyond[i], &out), NUM_RANGE);
		CHECK_NEAR(out, 42);
	}
}

static void
durations(void)
{
	static const struct number rows[] = {
		{"0", UINT64_MAX, NUM_OK, 0},
		{"0s", UINT64_MAX, NUM_OK, 0},
		{"250ms", UINT64_MAX, NUM_OK, UINT64_C(250000000)},
		{"1s", UINT64_MAX, NUM_OK, UINT64_C(1000000000)},
		{"5m", UINT64_MAX, NUM_OK, UINT64_C(300000000000)},
		{"2h", UINT64_MAX, NUM_OK, UINT64_C(7200000000000)},
		{"7d", UINT64_MAX, NUM_OK, UINT64_C(604800000000000)},
		{"1s", NUM_NS_PER_S, NUM_OK, NUM_NS_PER_S},
		{"213503d", UINT64_MAX, NUM_OK, UINT64_C(18446659200000000000)},
		{"000", UINT64_MAX, NUM_OK, 0},
		{"007s", UINT64_MAX, NUM_OK, UINT64_C(7000000000)},
		{"100us", UINT64_MAX, NUM_OK, 100000},
		{"100\xc2\xb5s", UINT64_MAX, NUM_OK, 100000},
		{"100\xce\xbcs", UINT64_MAX, NUM_OK, 100000},
		{"42ns", UINT64_MAX, NUM_OK, 42},
		{"1.5s", UINT64_MAX, NUM_OK, UINT64_C(1500000000)},
		{"0.25ms", UINT64_MAX, NUM_OK, 250000},
		{"0.0s", UINT64_MAX, NUM_OK, 0},
		{"0.05m", UINT64_MAX, NUM_OK, UINT64_C(3000000000)},
		{"0.1ns", UINT64_MAX, NUM_OK, 0},
		{"0.333333333333333333333333h", UINT64_MAX, NUM_OK, UINT64_C(1199999999999)},
		{"1m30s", UINT64_MAX, NUM_OK, UINT64_C(90000000000)},
		{"1h0m0.5s", UINT64_MAX, NUM_OK, UINT64_C(3600500000000)},
		{"1d1h1m1s1ms1us1ns", UINT64_MAX, NUM_OK, UINT64_C(90061001001001)},
		{"18446744073709551615ns", UINT64_MAX, NUM_OK, UINT64_MAX},
	};
	check_numbers(num_parse_duration, rows, CHECK_COUNT(rows));
}

static void
durations_refused(void)
{
	static const struct number rows[] = {
		{"", UINT64_MAX, NUM_MALFORMED, 0},
		{"1", UINT64_MAX, NUM_MALFORMED, 0},
		{"s", UINT64_MAX, NUM_MALFORMED, 0},
		{"-1s", UINT64_MAX, NUM_MALFORMED, 0},
		{"+1s", UINT64_MAX, NUM_MALFORMED, 0},
		{"1 s", UINT64_MAX, NUM_MALFORMED, 0},
		{" 1s", UINT64_MAX, NUM_MALFORMED, 0},
		{"1s ", UINT64_MAX, NUM_MALFORMED, 0},
		{".5s", UINT64_MAX, NUM_MALFORMED, 0},
		{"1.s", UINT64_MAX, NUM_MALFORMED, 0},
		{"1.5", UINT64_MAX, NUM_MALFORMED, 0},
		{"1.5.5s", UINT64_MAX, NUM_MALFORMED, 0},
		{"1,5s", UINT64_MAX, NUM_MALFORMED, 0},
		{"1e3s", UINT64_MAX, NUM_MALFORMED, 0},
		{".", UINT64_MAX, NUM_MALFORMED, 0},
		{"1S", UINT64_MAX, NUM_MALFORMED, 0},
		{"1sec", UINT64_MAX, NUM_MALFORMED, 0},
		{"1m30", UINT64_MAX, NUM_MALFORMED, 0},
		{"1m 30s", UINT64_MAX, NUM_MALFORMED, 0},
		{"1m-30s", UINT64_MAX, NUM_MALFORMED, 0},
		{"30s1m", UINT64_MAX, NUM_MALFORMED, 0},
		{"1s1s", UINT64_MAX, NUM_MALFORMED, 0},
		{"1us1\xc2\xb5s", UINT64_MAX, NUM_MALFORMED, 0},
		{"\xc2\xb5s", UINT64_MAX, NUM_MALFORMED, 0},
		{"1\xc2s", UINT64_MAX, NUM_MALFORMED, 0},
		{"99999999999999999999999999999x", UINT64_MAX, NUM_MALFORMED, 0},
		{"1w", UINT64_MAX, NUM_MALFORMED, 0},
		{"2s", NUM_NS_PER_S, NUM_RANGE, 0},
		{"213504d", UINT64_MAX, NUM_RANGE, 0},
		{"18446744073709551615d", UINT64_MAX, NUM_RANGE, 0},
		{"18446744073709551616s", UINT64_MAX, NUM_RANGE, 0},
		{"99999999999999999999999999999s", UINT64_MAX, NUM_RANGE, 0},
		{"18446744073709551615.5ns1ns", UINT64_MAX, NUM_MALFORMED, 0},
		{"18446744073.9s", UINT64_MAX, NUM_RANGE, 0},
		{"1s1ns", NUM_NS_PER_S, NUM_RANGE, 0},
		{"213503d23h34m33.709551616s", UINT64_MAX, NUM_RANGE, 0},
	};
	check_numbers(num_parse_duration, rows, CHECK_COUNT(rows));
}

static void
formats(void)
{
	static const struct {
		uint64_t value;
		const char *text;
	} rows[] = {{0, "0"}, {9, "9"}, {10, "10"}, {99, "99"}, {100, "100"},
		{4294967296, "4294967296"}, {9999999999999999999u, "9999999999999999999"},
		{10000000000000000000u, "10000000000000000000"},
		{UINT64_MAX, "18446744073709551615"}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[NUM_U64_SIZE];
		size_t length = num_format_u64(rows[i].value, text);
		CHECK_STR(text, rows[i].text);
		CHECK_INT((int64_t)length, (int64_t)strlen(rows[i].text));
	}
}

static void
durations_written(void)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {{0, "0s"}, {UINT64_C(7) * 86400 * NUM_NS_PER_S, "7d"},
		{90 * NUM_NS_PER_S, "1m30s"}, {36 * 3600 * NUM_NS_PER_S, "1d12h"},
		{1500 * NUM_NS_PER_MS, "1s500ms"}, {1001, "1us1ns"},
		{UINT64_MAX, "213503d23h34m33s709ms551us615ns"}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[NUM_DURATION_SIZE];
		uint64_t ns = 1;
		num_format_duration(rows[i].ns, text);
		CHECK_STR(text, rows[i].text);
		CHECK_INT(num_parse_duration(text, UINT64_MAX, &ns), NUM_OK);
		CHECK(ns == rows[i].ns);
	}
}

static const struct check_test tests[] = {
	{"every 64-bit number has its digits and nothing else", formats},
	{"decimal digits up to 2^64-1 are a number", decimal},
	{"a number with a sign, white space or trailing text is not a number", decimal_malformed},
	{"a number beyond 64 bits, or beyond the limit, is out of range", decimal_range},
	{"a hexadecimal number needs its 0x and fits 64 bits", hexadecimal},
	{"a decimal fraction may have sign and exponent", doubles},
	{"infinity, NaN, hexadecimal and loose text are not fractions", doubles_refused},
	{"a fraction beyond what a double holds is out of range", doubles_range},
	{"a duration is numbers with units, the longer ones first", durations},
	{"a duration without a unit, with more text, or too long is refused", durations_refused},
	{"a written duration reads back the same, in whole units", durations_written},
};
CHECK_MAIN(tests)
