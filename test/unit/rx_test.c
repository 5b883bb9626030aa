/* Unit tests of rx: regular expressions over untrusted names. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rx.h"

#include "check.h"

#include <stdlib.h>
#include <time.h>

static void
matches(void)
{
	static const struct {
		const char *expression, *text;
		bool found;
	} rows[] = {
		{"^mlx5_[0-9]+$", "mlx5_10", true},
		{"^mlx5_[0-9]+$", "mlx5_10x", false},
		{"mlx5", "the mlx5 in the middle", true},
		{"", "anything", true},
		{"^$", "", true},
		{"^lo$", "lo", true},
		{"^lo$", "lo0", false},
		{"^lo$", "LO", false},
		{"(?i)^lo$", "LO", true},
		{"^.$", "\xC3\xA4", true},
		/* A name with invalid UTF-8 is searched as well. */
		{"name", "\xFFname\xFE", true},
		{"^name", "\xFFname", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rx_error error;
		struct rx *rx = rx_new(rows[i].expression, strlen(rows[i].expression), &error);
		check_row("%s on %s", rows[i].expression, rows[i].text);
		if (CHECK(rx != NULL))
			CHECK_INT(rx_match(rx, rows[i].text), rows[i].found);
		rx_free(rx);
	}
	rx_free(NULL);
}

static void
length_counts(void)
{
	struct rx_error error;
	struct rx *rx = rx_new("^lo$,(((", 4, &error);
	if (CHECK(rx != NULL)) {
		CHECK(rx_match(rx, "lo"));
		CHECK(!rx_match(rx, "lo,((("));
	}
	rx_free(rx);
}

static void
refused(void)
{
	static const struct {
		const char *expression;
		size_t offset;
	} rows[] = {
		{"(", 1},
		{"abc(", 4},
		{"a)", 1},
		{"[a-", 3},
		{"*a", 0},
		{"a**+?*", 4},
		{"\\", 1},
		{"(?<n>a)(?<n>b)", 11},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rx_error error = {.reason = "", .offset = 9999};
		check_row("%s", rows[i].expression);
		CHECK(rx_new(rows[i].expression, strlen(rows[i].expression), &error) == NULL);
		CHECK(*error.reason != '\0');
		CHECK(strcmp(error.reason, "out of memory") != 0);
		CHECK(error.offset <= strlen(rows[i].expression));
		/* PCRE2 may point at the character or behind it. */
		CHECK(error.offset + 2 >= rows[i].offset && error.offset <= rows[i].offset + 2);
	}
}

static void
invalid_utf8(void)
{
	struct rx_error error = {.reason = ""};
	CHECK(rx_new("ab\xFF", 3, &error) == NULL);
	CHECK_HAS(error.reason, "UTF-8");
	CHECK_INT((int64_t)error.offset, 2);
}

static void
lists(void)
{
	static const struct {
		const char *list;
		size_t count;
		const char *matching, *other;
	} rows[] = {
		{"", 0, NULL, "x"},
		{",", 0, NULL, "x"},
		{",,,", 0, NULL, ""},
		{"^lo$", 1, "lo", "lo1"},
		{"^veth.*,^docker.*,^br-.*,^lo$", 4, "br-12", "eth0"},
		{"^a$,,^b$", 2, "b", ""},
		{",^a$,", 1, "a", ","},
		{"^a{2}$, ^b{3,^1}$", 3, "aa", "bbb"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rx_list list;
		struct rx_error error;
		check_row("\"%s\"", rows[i].list);
		CHECK_INT(rx_list_init(&list, rows[i].list, &error), 0);
		CHECK_INT((int64_t)list.count, (int64_t)rows[i].count);
		if (rows[i].matching != NULL)
			CHECK(rx_list_match(&list, rows[i].matching));
		CHECK(!rx_list_match(&list, rows[i].other));
		rx_list_fini(&list);
		CHECK_INT((int64_t)list.count, 0);
	}
}

static void
list_refused(void)
{
	struct rx_list list;
	struct rx_error error = {.reason = "", .offset = 9999};
	CHECK_INT(rx_list_init(&list, "^veth.*,,^lo(,^x$", &error), -1);
	CHECK(*error.reason != '\0');
	/* Counted from the start of the whole text: the parenthesis is its 13th byte. */
	CHECK(error.offset == 12 || error.offset == 13);
	rx_list_fini(&list);
	CHECK_INT(rx_list_init(&list, "(", &error), -1);
	CHECK(error.offset <= 1);
	rx_list_fini(&list);
}

static void
list_cut(void)
{
	static const char *const lists[] = {
		"^mlx5_[0-9]{1,2}$", "^lo$,^mlx5_1{2,}$", "x{,3}", "a{10, b{1,22}"};
	static const int64_t offsets[] = {13, 14, 2, 9};
	for (size_t i = 0; i < CHECK_COUNT(lists); i++) {
		struct rx_list list;
		struct rx_error error = {.reason = "", .offset = 9999};
		check_row("%s", lists[i]);
		CHECK_INT(rx_list_init(&list, lists[i], &error), -1);
		CHECK_STR(error.reason,
			"a comma separates expressions: an expression cannot contain one");
		CHECK_INT((int64_t)error.offset, offsets[i]);
		rx_list_fini(&list);
	}
}

static void
run_away(void)
{
	/* 2^64 ways to fail without a limit. */
	static const char *const expressions[] = {
		"^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$"};
	char *text = check_repeat_new('a', 60);
	text[59] = '!';
	char *other = check_repeat_new('x', 60);
	for (size_t i = 0; i < CHECK_COUNT(expressions); i++) {
		struct rx_error error;
		struct rx *rx = rx_new(expressions[i], strlen(expressions[i]), &error);
		check_row("%s", expressions[i]);
		if (CHECK(rx != NULL)) {
			clock_t start = clock();
			CHECK(!rx_match(rx, text));
			CHECK(!rx_match(rx, other));
			/* Processor time, so that a busy machine does not count. PCRE2's own limit
			 * takes far longer. */
			CHECK(clock() - start < CLOCKS_PER_SEC / 10);
			/* And it still works for other texts. */
			if (i < 3)
				CHECK(rx_match(rx, "aaaa"));
		}
		rx_free(rx);
	}
	free(text);
	free(other);
}

static struct rx *
bytes_new(const char *expression)
{
	struct rx_error error;
	struct rx *rx = rx_bytes_new(expression, strlen(expression), &error);
	CHECK(rx != NULL);
	return rx;
}

static void
finding(void)
{
	static const struct {
		const char *expression, *text;
		size_t length;
		enum rx_verdict verdict;
		size_t end;
	} rows[] = {
		{"b+", "abbc", 4, RX_FOUND, 3},
		{"", "abc", 3, RX_FOUND, 0},
		{"c", "abc", 2, RX_ABSENT, 0},
		{"c$", "abc", 3, RX_FOUND, 3},
		{"c", "ab\0c", 4, RX_FOUND, 4},
		{"a.c", "a\0c", 3, RX_FOUND, 3},
		/* Any byte is a character. */
		{"^.$", "\xFF", 1, RX_FOUND, 1},
		{"^.$", "\xC3\xA4", 2, RX_ABSENT, 0},
		{"^..$", "\xC3\xA4", 2, RX_FOUND, 2},
		{"a\xFFz", "a\xFFz", 3, RX_FOUND, 3},
		{"^a",
			"\xFF"
			"a",
			2, RX_ABSENT, 0},
		{"a.b", "a\nb", 3, RX_ABSENT, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rx *rx = bytes_new(rows[i].expression);
		char *text = malloc(rows[i].length);
		size_t end = 99;
		memcpy(text, rows[i].text, rows[i].length);
		check_row("row %zu: %s", i, rows[i].expression);
		CHECK_INT(rx_find(rx, text, rows[i].length, &end), rows[i].verdict);
		CHECK_U64(end, rows[i].verdict == RX_FOUND ? rows[i].end : 99);
		CHECK_INT(rx_find(rx, text, rows[i].length, NULL), rows[i].verdict);
		free(text);
		rx_free(rx);
	}
}

static void
bytes_refused(void)
{
	struct rx_error error = {.reason = ""};
	CHECK(rx_bytes_new("a(", 2, &error) == NULL);
	CHECK(*error.reason != '\0');
	/* Nor can the expression itself request UTF-8. */
	CHECK(rx_bytes_new("(*UTF)a", 7, &error) == NULL);
}

static void
giving_up(void)
{
	/* The end has what the expression needs, so that no search ends early. */
	static const struct {
		const char *expression;
		char byte;
		const char *end;
	} rows[] = {
		{"(x+x+)+y", 'x', "!y"},
		{"^(a|a)*$", 'a', "!"},
		{"a.*a.*a.*b.*c", 'a', "!c"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rx *rx = bytes_new(rows[i].expression);
		size_t end = 99, length = 16384;
		char *text = check_repeat_new(rows[i].byte, length);
		strcpy(text + length - strlen(rows[i].end), rows[i].end);
		check_row("%s", rows[i].expression);
		CHECK_INT(rx_find(rx, text, length, &end), RX_GAVE_UP);
		CHECK_U64(end, 99);
		/* And it still works for other texts. */
		CHECK_INT(rx_find(rx, "-", 1, NULL), RX_ABSENT);
		rx_free(rx);
		free(text);
	}
}

static const struct check_test tests[] = {
	{"an expression is found anywhere in a text", matches},
	{"only the given bytes are the expression", length_counts},
	{"a bad expression is refused with reason and offset", refused},
	{"an expression that is not UTF-8 is refused", invalid_utf8},
	{"a list matches if any part does, and empty parts are ignored", lists},
	{"a bad part's offset is counted in the whole list", list_refused},
	{"a comma in the middle of a repetition is refused", list_cut},
	{"a match over its limit ends soon, and is no match", run_away},
	{"an expression over bytes is found within the given length, with its end", finding},
	{"an expression over bytes is refused like any other", bytes_refused},
	{"a search over its limit returns that the result is unknown", giving_up},
};
CHECK_MAIN(tests)
