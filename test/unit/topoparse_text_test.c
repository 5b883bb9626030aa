/* Unit tests of topoparse's text: cleaning captured terminal output, and splitting it into lines
 * and words. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoparse/text.h"

#include "check.h"

#include <stdlib.h>

static struct text_span
span(const char *text)
{
	return (struct text_span){text, strlen(text)};
}

static void
cleaned(void)
{
	static const struct {
		const char *text, *clean;
	} rows[] = {
		{"", ""},
		{"GPU0\tX\n", "GPU0\tX\n"},
		{"\xEF\xBB\xBFGPU0", "GPU0"},
		{"\x1b[4mGPU0\x1b[0m\tX", "GPU0\tX"},
		{"\x1b[1;31;40mPIX\x1b[m\x1b[K", "PIX"},
		{"\x1b[?25lPIX\x1b[?25h", "PIX"},
		{"\x1b]0;a title\aPIX", "PIX"},
		{"\x1b]8;;http://x\x1b\\PIX\x1b]8;;\x1b\\", "PIX"},
		{"\x1b(BPIX\x1b=", "PIX"},
		/* a cleared screen before the text is removed, but not moves within it */
		{"\x1b[H\x1b[2J\tGPU0\n\x1b[5;1HGPU0", "\tGPU0\nGPU0"},
		{"PIX\x1b[4CSYS", "PIX SYS"},
		{"PIX\x1b[3;1HSYS", "PIX\x1b[3;1HSYS"},
		{"PIX\x1b[ASYS", "PIX\x1b[ASYS"},
		/* without an end */
		{"PIX\x1b", "PIX\x1b"},
		{"PIX\x1b[", "PIX\x1b["},
		{"PIX\x1b[31", "PIX\x1b[31"},
		{"PIX\x1b[3\nSYS", "PIX\x1b[3\nSYS"},
		{"PIX\x1b]0;title\nSYS\a", "PIX\x1b]0;title\nSYS\a"},
		{"\xEF\xBB\xBF", ""},
		{"\xEF\xBB", "\xEF\xBB"},
		{"\x1b]\aPIX", "PIX"},
		{"\x1b]0;a\\b\aPIX", "PIX"},
		/* each byte that may be in a sequence, or end one, and the adjacent bytes */
		{"\x1b[1 qPIX", "PIX"},
		{"\x1b[1/qPIX", "PIX"},
		{"\x1b[1@PIX", "PIX"},
		{"\x1b[1~PIX", "PIX"},
		{"\x1b[0?mPIX", "PIX"},
		{"\x1b[\x7FPIX", "\x1b[\x7FPIX"},
		{"\x1b[\x01PIX", "\x1b[\x01PIX"},
		{"\x1b[\xC4PIX", "\x1b[\xC4PIX"},
		{"\x1b"
		 "0PIX",
			"PIX"},
		{"\x1b~PIX", "PIX"},
		{"\x1b\x7FPIX", "\x1b\x7FPIX"},
		{"\x1b\nPIX", "\x1b\nPIX"},
		/* a line of blanks is blank */
		{" \t\x1b[5;1HGPU0", " \tGPU0"},
		{"\tx\x1b[5;1HGPU0", "\tx\x1b[5;1HGPU0"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		size_t length;
		char *clean = text_clean_new(rows[i].text, strlen(rows[i].text), &length);
		check_row("%zu", i);
		CHECK_STR(clean, rows[i].clean);
		CHECK_U64(length, strlen(rows[i].clean));
		free(clean);
	}
}

/* The byte that would end the sequence lies behind the end of the text. */
static void
cut(void)
{
	static const struct {
		const char *text;
		size_t length;
	} rows[] = {
		{"PIX\x1b]0;t\a", 8},
		{"PIX\x1b]0;t\x1b\\", 9},
		{"PIX\x1b[31m", 4},
		{"PIX\x1b[31m", 5},
		{"PIX\x1b[31m", 6},
		{"PIX\x1b[31m", 7},
		{"PIX\x1b((B", 5},
		{"PIX\x1b((B", 6},
		{"PIX\x1b=", 4},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		size_t length;
		char *clean = text_clean_new(rows[i].text, rows[i].length, &length);
		check_row("%zu", i);
		CHECK_U64(length, rows[i].length);
		CHECK(memcmp(clean, rows[i].text, length) == 0);
		free(clean);
	}
}

static void
lines(void)
{
	struct text_span rest = span("one\r\n\r\r\n two \nthree");
	struct text_line line = {.number = 0};
	static const char *const expected[] = {"one", "", " two ", "three"};

	for (size_t i = 0; i < CHECK_COUNT(expected); i++) {
		check_row("%s", expected[i]);
		if (!CHECK(text_next_line(&rest, &line)))
			return;
		CHECK(text_is(line.text, expected[i]));
		CHECK_U64(line.number, i + 1);
		CHECK_INT(line.is_ended, i < 3);
	}
	CHECK(!text_next_line(&rest, &line));
	rest = span("\n");
	CHECK(text_next_line(&rest, &line));
	CHECK(!text_next_line(&rest, &line));
}

static void
words(void)
{
	struct text_span rest = span(" \t a\tbc  d"), word;
	CHECK(text_next_word(&rest, &word) && text_is(word, "a"));
	CHECK(text_next_word(&rest, &word) && text_is(word, "bc"));
	CHECK(text_next_word(&rest, &word) && text_is(word, "d"));
	CHECK(!text_next_word(&rest, &word));
	CHECK_U64(word.length, 0);
	CHECK(text_is(text_trim(span("\t a b ")), "a b"));
	CHECK_U64(text_trim(span(" \t ")).length, 0);
}

/* Bytes behind a span's end do not count. */
static void
spans(void)
{
	struct text_span rest = {" x", 0}, word;
	CHECK(!text_next_word(&rest, &word));
	CHECK_U64(rest.length, 0);
	CHECK_U64(text_digits((struct text_span){"12", 1}), 1);
	CHECK_U64(text_digits((struct text_span){"12", 2}), 2);
	CHECK_U64(text_number(span("1023x"), 4), 1023);
	CHECK_U64(text_trim((struct text_span){"a ", 1}).length, 1);
}

static void
names(void)
{
	static const char *const good[] = {"azAZ09", "z", "A", "Z9", "mlx5_0", "ibp24s0",
		"rocep1s0f0", "mlx5_bond_0", "ib-0.1", "a"};
	static const char *const bad[] = {"", "mlx5_", "0mlx5", "_a", "a b", "a/b", "..",
		"a:", "\"a", "mlx5_0\x01", "\xc3\xa9"};
	for (size_t i = 0; i < CHECK_COUNT(good); i++) {
		check_row("%s", good[i]);
		CHECK(text_is_name(span(good[i])));
	}
	for (size_t i = 0; i < CHECK_COUNT(bad); i++) {
		check_row("%s", bad[i]);
		CHECK(!text_is_name(span(bad[i])));
	}
	check_row("%s", "");
	char *longest = check_repeat_new('a', 63), *longer = check_repeat_new('a', 64);
	CHECK(text_is_name(span(longest)));
	CHECK(!text_is_name(span(longer)));
	free(longest);
	free(longer);
}

static const struct check_test tests[] = {
	{"escape sequences without cursor moves are removed, the others are kept", cleaned},
	{"a sequence cut off by the end of the text is kept", cut},
	{"lines are numbered, end with or without CR, and the last one may lack its end", lines},
	{"words are separated by blanks and tabs", words},
	{"bytes behind a span are not part of it", spans},
	{"a name is one that a device can have", names},
};
CHECK_MAIN(tests)
