/* Unit tests of commalist: lists separated by commas, with blanks and empty items. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "commalist.h"

#include "check.h"

#include <stdio.h>
#include <string.h>

static void
items(void)
{
	static const struct {
		const char *list, *items;
	} rows[] = {
		{"", ""},
		{"a", "<a>"},
		{"a,b,c", "<a><b><c>"},
		{" a , b\t,\nc \r", "<a><b><c>"},
		{"a b, c  d ", "<a b><c  d>"},
		{",,a,,b,,", "<a><b>"},
		{" , ,\t,", ""},
		{"   ", ""},
		{",", ""},
		{"^veth.*, ^mlx5_1$", "<^veth.*><^mlx5_1$>"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const char *rest = rows[i].list, *item;
		size_t length, used = 0;
		char seen[100] = "";
		while (commalist_next(&rest, &item, &length))
			used += (size_t)snprintf(
				seen + used, sizeof seen - used, "<%.*s>", (int)length, item);
		check_row("\"%s\"", rows[i].list);
		CHECK_STR(seen, rows[i].items);
		CHECK(!commalist_next(&rest, &item, &length));
	}
}

static void
has(void)
{
	static const struct {
		const char *list, *text;
		bool has;
	} rows[] = {
		{"mlx5_1", "mlx5_1", true},
		{"mlx5_0, mlx5_1 ,mlx5_2", "mlx5_1", true},
		{"mlx5_0,mlx5_1", "mlx5_1", true},
		{"mlx5_10,mlx5_2", "mlx5_1", false},
		{"mlx5_1", "mlx5_10", false},
		{"a,,b", "", false},
		{"", "a", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s in \"%s\"", rows[i].text, rows[i].list);
		CHECK(commalist_has(rows[i].list, rows[i].text, strlen(rows[i].text)) ==
			rows[i].has);
	}
	CHECK(commalist_has("a,b", "bc", 1));
}

static const struct check_test tests[] = {
	{"items lose the blanks around them, and empty items are skipped", items},
	{"a text is in a list as a whole item only", has},
};
CHECK_MAIN(tests)
