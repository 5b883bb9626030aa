/* Unit tests of emit's clearing: what a healthy event takes back. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/clearing.h"

#include "check.h"

#include <stdio.h>

/* How a condition is about something, and with which codes, and what clears it. */
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
		/* All of the healthy event's have to be there. */
		{"NIC=a,NICPort=1", "", "NIC=a", "", false},
		{"NIC=a,NICPort=1", "", "NIC=a,NICPort=2", "", false},
		{"NIC=a,NICPort=1", "", "NIC=b,NICPort=1", "", false},
		{"NIC=a", "", "NIC=b", "", false},
		/* None is the beginning, or the end, of another. */
		{"NIC=mlx5_1", "", "NIC=mlx5_10", "", false},
		{"NIC=mlx5_10", "", "NIC=mlx5_1", "", false},
		{"IC=a", "", "NIC=a", "", false},
		{"NIC=a", "", "IC=a", "", false},
		/* Of the same value, and another type. */
		{"NIC=1", "", "NICPort=1", "", false},
		/* What is said of a whole check is not about a device. */
		{"NIC=a", "", "", "", false},
		/* A comma in a value does not make two. */
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
		/* Without a code, whatever was said. */
		{"NIC=a", "", "NIC=a", "x", true},
		{"NIC=a", "", "NIC=a", "x,y", true},
		/* With codes, what has no other ones. */
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
		/* What an older version has said without a code is not meant. */
		{"NIC=a", "x", "NIC=a", "", false},
		/* The code alone is not enough. */
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
		/* Codes make no difference then. */
		{"", "x", "NIC=a", "y", true},
		{"", "x", "NIC=a", "", true},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static const struct check_test tests[] = {
	{"a healthy event ends what is about all of its entities", of_entities},
	{"a healthy event with codes ends what has no other codes", of_codes},
	{"a healthy event without entities ends everything of its check", of_a_whole_check},
};
CHECK_MAIN(tests)
