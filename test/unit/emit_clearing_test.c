/* Unit tests of emit's clearing: which conditions a healthy event ends. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/clearing.h"

#include "check.h"

#include <stdio.h>

/* The entities and codes of a healthy event and of a condition, and whether the event ends it. */
struct row {
	const char *healthy_about, *healthy_code;
	const char *about, *code;
	bool ends;
};

static bool
ends(const struct row *row)
{
	const struct facts healthy = {
		.healthy = true, .about = row->healthy_about, .code = row->healthy_code};
	return clearing_ends(&healthy, row->about, row->code);
}

static void
check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		check_row("[%s] [%s] and [%s] [%s]", rows[i].healthy_about, rows[i].healthy_code,
			rows[i].about, rows[i].code);
		CHECK_INT(ends(&rows[i]), rows[i].ends);
	}
}

static void
of_entities(void)
{
	static const struct row rows[] = {
		{"NIC=a", "", "NIC=a", "", true},
		{"NIC=a", "", "NIC=a,NICPort=1", "", true},
		{"NIC=a,NICPort=1", "", "NIC=a,NICPort=1", "", true},
		{"NICPort=1,NIC=a", "", "NIC=a,NICPort=1", "", true},
		{"NICPort=1", "", "NIC=a,NICPort=1", "", true},
		{"NIC=a,NIC=a", "", "NIC=a,NICPort=1", "", true},
		/* All entities of the healthy event must be there. */
		{"NIC=a,NICPort=1", "", "NIC=a", "", false},
		{"NIC=a,NICPort=1", "", "NIC=a,NICPort=2", "", false},
		{"NIC=a,NICPort=1", "", "NIC=b,NICPort=1", "", false},
		{"NIC=a", "", "NIC=b", "", false},
		/* A value that is a prefix or suffix of another is not equal. */
		{"NIC=mlx5_1", "", "NIC=mlx5_10", "", false},
		{"NIC=mlx5_10", "", "NIC=mlx5_1", "", false},
		{"IC=a", "", "NIC=a", "", false},
		{"NIC=a", "", "IC=a", "", false},
		/* The same value with another type. */
		{"NIC=1", "", "NICPort=1", "", false},
		/* A condition of a whole check is not about a device. */
		{"NIC=a", "", "", "", false},
		/* A comma in a value does not separate entities. */
		{"NIC=a", "", "NIC=x\\,NIC=a", "", false},
		{"NIC=x\\,NIC=a", "", "NIC=x\\,NIC=a,NICPort=1", "", true},
		{"NIC=a\\\\,NICPort=1", "", "NIC=a\\\\,NICPort=1", "", true},
		{"NICPort=1", "", "NIC=a\\\\,NICPort=1", "", true},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
of_codes(void)
{
	static const struct row rows[] = {
		/* Without a code it ends conditions of any code. */
		{"NIC=a", "", "NIC=a", "x", true},
		{"NIC=a", "", "NIC=a", "x,y", true},
		/* With codes it ends conditions that have no other codes. */
		{"NIC=a", "x", "NIC=a", "x", true},
		{"NIC=a", "x", "NIC=a", "y", false},
		{"NIC=a", "x,y", "NIC=a", "y", true},
		{"NIC=a", "x,y", "NIC=a", "y,x", true},
		{"NIC=a", "x", "NIC=a", "x,y", false},
		{"NIC=a", "y", "NIC=a", "x,y", false},
		{"NIC=a", "symbol_error,saturated", "NIC=a", "link_downed,saturated", false},
		{"NIC=a", "x,y", "NIC=a", "v,w", false},
		{"NIC=a", "link", "NIC=a", "link_downed", false},
		{"NIC=a", "link_downed", "NIC=a", "link", false},
		/* A condition that an older version stored without a code stays. */
		{"NIC=a", "x", "NIC=a", "", false},
		/* An equal code alone is not enough. */
		{"NIC=a", "x", "NIC=b", "x", false},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
of_a_whole_check(void)
{
	static const struct row rows[] = {
		{"", "", "", "", true},
		{"", "", "NIC=a", "", true},
		{"", "", "NIC=a,NICPort=1", "x", true},
		{"", "", "", "x", true},
		/* Then codes do not matter. */
		{"", "x", "NIC=a", "y", true},
		{"", "x", "NIC=a", "", true},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static const struct check_test tests[] = {
	{"a healthy event ends conditions about all of its entities", of_entities},
	{"a healthy event with codes ends conditions without other codes", of_codes},
	{"a healthy event without entities ends all conditions of its check", of_a_whole_check},
};
CHECK_MAIN(tests)
