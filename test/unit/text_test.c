/* Unit tests of text: making untrusted text safe for a line on a terminal. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include "check.h"

#include <stdlib.h>

static void
escaped(void)
{
	static const char hostile[] = "a\033[31m\r\n\t\x7f\0\xC2\x9B\xE2\x80\xAE\xFF"
				      "b";
	char *text = text_new(hostile, sizeof hostile - 1);
	CHECK_STR(text, "a\\x1b[31m\\x0d\\x0a\\x09\\x7f\\x00\\xc2\\x9b\\xe2\\x80\\xae\\xffb");
	free(text);

	/* Nothing is cut, although each byte grows to four. */
	char *many = check_repeat_new('\033', 5000);
	text = text_new(many, 5000);
	CHECK_INT(strlen(text), 20000);
	free(text);
	free(many);
	text = text_new("", 0);
	CHECK_STR(text, "");
	free(text);
}

static void
widths(void)
{
	CHECK_INT(text_width(""), 0);
	CHECK_INT(text_width("mlx5_0"), 6);
	CHECK_INT(text_width("\xC3\xBC\xE2\x80\xA6\xF0\x9F\x94\xA5"), 3);
}

/* Check the folded text. */
static void
check_hung(const char *text, size_t indent, size_t hang, size_t columns, const char *expected)
{
	char *folded = NULL;
	size_t size;
	FILE *out = open_memstream(&folded, &size);
	text_fold(text, indent, hang, columns, out);
	fclose(out);
	check_row("'%s' in %zu columns", text, columns);
	CHECK_STR(folded, expected);
	free(folded);
}

static void
check_folded(const char *text, size_t indent, size_t columns, const char *expected)
{
	check_hung(text, indent, 0, columns, expected);
}

static void
folded(void)
{
	check_folded("", 2, 10, "");
	check_folded("   ", 2, 10, "");
	check_folded("one two", 2, 10, "  one two\n");
	check_folded("one two", 2, 9, "  one two\n");
	check_folded("one two", 2, 8, "  one\n  two\n");
	check_folded("one two three", 0, 7, "one two\nthree\n");
	check_folded("one  two", 0, 4, "one\ntwo\n");
	check_folded("one two ", 0, 7, "one two\n");
	/* A long word exceeds the width, and nothing is lost. */
	check_folded("a0000:18:00.0 b", 0, 5, "a0000:18:00.0\nb\n");
	check_folded("b a0000:18:00.0", 0, 5, "b\na0000:18:00.0\n");
	/* Characters count, not bytes. */
	check_folded("\xC3\xBC\xC3\xBC \xC3\xBC", 0, 4, "\xC3\xBC\xC3\xBC \xC3\xBC\n");
	/* No room at all. */
	check_folded("a b", 4, 3, "    a\n    b\n");
	check_folded("a b", 4, 0, "    a\n    b\n");
}

static void
hung(void)
{
	check_hung("one", 1, 2, 6, " one\n");
	check_hung("one two three", 1, 2, 8, " one two\n   three\n");
	check_hung("one two three", 1, 2, 7, " one\n   two\n   three\n");
	check_hung("one two", 1, 9, 6, " one\n          two\n");
}

static const struct check_test tests[] = {
	{"bytes that could control a terminal are escaped, and nothing is cut", escaped},
	{"a width counts characters", widths},
	{"a text is folded at blanks, and loses only these", folded},
	{"the lines of a folded text after the first are indented further, as requested", hung},
};
CHECK_MAIN(tests)
