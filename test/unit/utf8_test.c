/* Unit tests of utf8: making untrusted text safe. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "utf8.h"

#include "check.h"

#define FFFD "\xEF\xBF\xBD"

static void
characters(void)
{
	static const struct {
		const char *bytes;
		size_t length, expected;
		const char *what;
	} rows[] = {
		{"a", 1, 1, "ASCII"},
		{"\0", 1, 1, "NUL"},
		{"\x7F", 1, 1, "DEL"},
		{"", 0, 0, "nothing"},
		{"\xC2\x80", 2, 2, "U+0080"},
		{"\xDF\xBF", 2, 2, "U+07FF"},
		{"\xE0\xA0\x80", 3, 3, "U+0800"},
		{"\xED\x9F\xBF", 3, 3, "U+D7FF"},
		{"\xEE\x80\x80", 3, 3, "U+E000"},
		{"\xEF\xBF\xBF", 3, 3, "U+FFFF"},
		{"\xF0\x90\x80\x80", 4, 4, "U+10000"},
		{"\xF4\x8F\xBF\xBF", 4, 4, "U+10FFFF"},
		{"\xC2\x80zz", 4, 2, "more behind"},
		{"\x80", 1, 0, "lone continuation"},
		{"\xBF\xBF", 2, 0, "continuations"},
		{"\xC0\x80", 2, 0, "overlong NUL"},
		{"\xC0\xAF", 2, 0, "overlong slash"},
		{"\xC1\xBF", 2, 0, "overlong DEL"},
		{"\xE0\x80\xAF", 3, 0, "overlong slash in three"},
		{"\xE0\x9F\xBF", 3, 0, "overlong U+07FF"},
		{"\xF0\x80\x80\xAF", 4, 0, "overlong slash in four"},
		{"\xF0\x8F\xBF\xBF", 4, 0, "overlong U+FFFF"},
		{"\xED\xA0\x80", 3, 0, "first surrogate"},
		{"\xED\xBF\xBF", 3, 0, "last surrogate"},
		{"\xF4\x90\x80\x80", 4, 0, "U+110000"},
		{"\xF5\x80\x80\x80", 4, 0, "F5"},
		{"\xF8\x88\x80\x80\x80", 5, 0, "five bytes"},
		{"\xFE", 1, 0, "FE"},
		{"\xFF", 1, 0, "FF"},
		{"\xC3", 1, 0, "cut after one of two"},
		{"\xE2\x80", 2, 0, "cut after two of three"},
		{"\xF0\x9F\x98", 3, 0, "cut after three of four"},
		{"\xC3\x41", 2, 0, "no continuation"},
		{"\xE2\x80\xC0", 3, 0, "bad third byte"},
		{"\xF0\x9F\x98\x20", 4, 0, "bad fourth byte"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].what);
		CHECK_INT((int64_t)utf8_char(rows[i].bytes, rows[i].length),
			(int64_t)rows[i].expected);
	}
}

static void
sanitizing(void)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *expected;
	} rows[] = {
		{"", 0, ""},
		{"plain", 5, "plain"},
		{"gr\xC3\xBC\xC3\x9F", 6, "gr\xC3\xBC\xC3\x9F"},
		{"a\0b", 3, "a" FFFD "b"},
		{"\xFF\xFE", 2, FFFD FFFD},
		{"a\xE2\x80", 3, "a" FFFD FFFD},
		{"\xED\xA0\x80", 3, FFFD FFFD FFFD},
		{"\xC0\xAF.", 3, FFFD FFFD "."},
		{"\xC3\xC3\xA4", 3, FFFD "\xC3\xA4"},
		/* Control characters are left for JSON to escape. */
		{"\x1B[1m\n", 5, "\x1B[1m\n"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char out[64];
		check_row("row %zu", i);
		size_t length = utf8_sanitize(rows[i].bytes, rows[i].length, out, sizeof out);
		CHECK_STR(out, rows[i].expected);
		CHECK_INT((int64_t)length, (int64_t)strlen(rows[i].expected));
	}
}

static void
sanitizing_cuts(void)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *expected;
	} rows[] = {
		{"abc", 4, "abc"},
		{"abc", 3, "ab"},
		{"abc", 1, ""},
		{"a\xC3\xA4", 4, "a\xC3\xA4"},
		{"a\xC3\xA4", 3, "a"},
		{"a\xF0\x9F\x98\x80z", 5, "a"},
		{"a\xFF", 4, "a"},
		{"a\xFF", 5, "a" FFFD},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char out[8] = "XXXXXXX";
		check_row("row %zu", i);
		utf8_sanitize(rows[i].bytes, strlen(rows[i].bytes), out, rows[i].size);
		CHECK_STR(out, rows[i].expected);
		for (size_t k = rows[i].size; k < sizeof out - 1; k++)
			CHECK_INT(out[k], 'X');
	}
	char untouched = 'X';
	CHECK_INT((int64_t)utf8_sanitize("abc", 3, &untouched, 0), 0);
	CHECK_INT(untouched, 'X');
}

static void
escaping(void)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *expected;
	} rows[] = {
		{"", 0, ""},
		{"plain \\ text", 12, "plain \\ text"},
		{"\x1B[31m", 5, "\\x1b[31m"},
		{"a\nb\tc\r", 6, "a\\x0ab\\x09c\\x0d"},
		{"a\0b", 3, "a\\x00b"},
		{"\x7F", 1, "\\x7f"},
		/* C1: U+0080, U+009B (a terminal's CSI), U+009F; U+00A0 is printable. */
		{"\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0", 8, "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xC2\xA0"},
		{"\x9B", 1, "\\x9b"},
		{"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", 9, "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
		/* U+061C, U+202E, U+2069 change the direction of the text behind them; U+2010,
		 * U+2070 do not. */
		{"\xD8\x9C\xE2\x80\xAE", 5, "\\xd8\\x9c\\xe2\\x80\\xae"},
		{"\xE2\x81\xA9\xE2\x80\xA8", 6, "\\xe2\\x81\\xa9\\xe2\\x80\\xa8"},
		{"\xE2\x80\x90\xE2\x81\xB0", 6, "\xE2\x80\x90\xE2\x81\xB0"},
		{"\xC0\xAF\xFF", 3, "\\xc0\\xaf\\xff"},
		{"\xE2\x82", 2, "\\xe2\\x82"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char out[64];
		check_row("row %zu", i);
		size_t length = utf8_escape(rows[i].bytes, rows[i].length, out, sizeof out);
		CHECK_STR(out, rows[i].expected);
		CHECK_INT((int64_t)length, (int64_t)strlen(rows[i].expected));
	}
}

static void
escaping_cuts(void)
{
	char out[8];
	CHECK_INT((int64_t)utf8_escape("\n\n", 2, out, sizeof out), 4);
	CHECK_STR(out, "\\x0a");
	CHECK_INT((int64_t)utf8_escape("abcdef\n", 7, out, sizeof out), 6);
	CHECK_STR(out, "abcdef");
	CHECK_INT((int64_t)utf8_escape("abcdefg\xC3\xA4", 9, out, sizeof out), 7);
	CHECK_STR(out, "abcdefg");
	CHECK_INT((int64_t)utf8_escape("abcdef\xC3\xA4", 8, out, sizeof out), 6);
	CHECK_STR(out, "abcdef");
	CHECK_INT((int64_t)utf8_escape("a", 1, out, 1), 0);
	CHECK_STR(out, "");
	CHECK_INT((int64_t)utf8_escape("a", 1, out, 0), 0);
}

static void
cutting(void)
{
	/* a, U+00E4, U+20AC, U+1F600: boundaries at 0, 1, 3, 6 and 10. */
	static const char text[] = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";
	static const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10, 10};
	for (size_t limit = 0; limit < CHECK_COUNT(expected); limit++) {
		check_row("limit %zu", limit);
		CHECK_INT(
			(int64_t)utf8_cut(text, sizeof text - 1, limit), (int64_t)expected[limit]);
	}
	CHECK_INT((int64_t)utf8_cut("", 0, 0), 0);
	CHECK_INT((int64_t)utf8_cut("", 0, 5), 0);
}

static const struct check_test tests[] = {
	{"overlong forms, surrogates, cut and too large characters are refused", characters},
	{"each byte of invalid UTF-8, and NUL, becomes U+FFFD", sanitizing},
	{"sanitized text is cut between characters and stays within its buffer", sanitizing_cuts},
	{"control characters, C1 among them, and stray bytes are escaped", escaping},
	{"an escape is never cut in half", escaping_cuts},
	{"a text is cut at the last boundary within the limit", cutting},
};
CHECK_MAIN(tests)
