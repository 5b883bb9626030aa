/* Unit tests of commalist: lists separated by commas, with blanks and empty items. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "commalist.h"

#include "check.h"

#include <stdio.h>

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

static const struct check_test tests[] = {
	{"items lose the blanks around them, and empty items are skipped", items},
};
CHECK_MAIN(tests)
