/* Unit tests of rx: regular expressions over names from outside. */
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
		/* A name with bytes that are not UTF-8 is looked at all the same. */
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
run_away(void)
{
	/* 2^64 ways to fail, if nobody stops it. */
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
			/* Of processor time, so that a busy machine does not count. PCRE2's own limit takes far longer. */
			CHECK(clock() - start < CLOCKS_PER_SEC / 10);
			/* And it is still good for what it can do. */
			if (i < 3)
				CHECK(rx_match(rx, "aaaa"));
		}
		rx_free(rx);
	}
	free(text);
	free(other);
}

static const struct check_test tests[] = {
	{"an expression is found anywhere in a text", matches},
	{"only the given bytes are the expression", length_counts},
	{"a bad expression is refused with reason and place", refused},
	{"an expression that is not UTF-8 is refused", invalid_utf8},
	{"a list matches when any part does, and empty parts are none", lists},
	{"a bad part's place is told in the whole list", list_refused},
	{"a match that runs away is no match, and soon", run_away},
};
CHECK_MAIN(tests)
