/* Unit tests of topoparse's text: captured terminal output made plain, and cut into lines and words. */
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
		/* a cleared screen before the text, but no moves within it */
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

static void
names(void)
{
	static const char *const good[] = {
		"mlx5_0", "ibp24s0", "rocep1s0f0", "mlx5_bond_0", "ib-0.1", "a"};
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
	{"escape sequences that move nothing go, those that do stay and are seen", cleaned},
	{"lines have numbers, end with or without CR, and the last one may have no end", lines},
	{"words stand between blanks and tabs", words},
	{"a name is what a device can be called", names},
};
CHECK_MAIN(tests)
