/* Unit tests of blastradius's host lists: compressing names into a list and expanding a list. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/blastradius/hostlist.h"

#include "array.h"
#include "check.h"

#include <string.h>

static int
add(void *context, const char *name)
{
	struct strbuf *text = context;
	strbuf_addf(text, "%s%s", text->length > 0 ? " " : "", name);
	return 0;
}

/* Expand a list into its names, with blanks between; return "!" for a malformed list. */
static const char *
expanded(const char *list, char *text, size_t size)
{
	struct strbuf names;
	strbuf_init(&names, text, size);
	return hostlist_expand(list, add, &names) == 0 ? text : "!";
}

static void
lists(void)
{
	static const struct {
		const char *list, *names;
	} cases[] = {
		{"a", "a"},
		{"a,b", "a b"},
		{"n[1-3]", "n1 n2 n3"},
		{"n[08-11]", "n08 n09 n10 n11"},
		{"n[001,5-6,009]x,b", "n001x n5x n6x n009x b"},
		{"r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2"},
		{"[1-2]", "1 2"},
		{"n[3-3]", "n3"},
	};
	char text[256];
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		CHECK_STR(expanded(cases[i].list, text, sizeof text), cases[i].names);
}

static void
others(void)
{
	static const char *const lists[] = {"", "a,", ",a", "n[", "n[1", "n[1-", "n[1-2", "n]",
		"n[]", "n[2-1]", "n[x]", "n[1-x]", "n[1,]", "n[1-99999999]", "n[-1]", "n[ 1]",
		"n[1-300][1-300]", "n[99999999999999999999]", "n[[1]]"};
	char text[256], name[HOSTLIST_NAME_SIZE + 8];
	for (size_t i = 0; i < ARRAY_COUNT(lists); i++)
		CHECK_STR(expanded(lists[i], text, sizeof text), "!");
	memset(name, 'n', sizeof name);
	name[HOSTLIST_NAME_SIZE] = '\0';
	CHECK_STR(expanded(name, text, sizeof text), "!");
	strcpy(name + HOSTLIST_NAME_SIZE - 2, "[10]");
	CHECK_STR(expanded(name, text, sizeof text), "!");
}

static int
stop(void *context, const char *name)
{
	(void)name;
	return ++*(int *)context == 2 ? -1 : 0;
}

static void
stops(void)
{
	int count = 0;
	CHECK_INT(hostlist_expand("n[1-9],m", stop, &count), -1);
	CHECK_INT(count, 2);
}

static void
together(void)
{
	static const struct {
		const char *names[8];
		const char *list;
	} cases[] = {
		{{"a"}, "a"},
		{{"b", "a", "b"}, "a,b"},
		{{"n3", "n1", "n2"}, "n[1-3]"},
		{{"n1", "n1"}, "n1"},
		{{"n08", "n09", "n10", "n12"}, "n[08-10,12]"},
		{{"n9", "n10", "n11"}, "n9,n[10-11]"},
		{{"r1n1x", "r1n2x", "r2n1x"}, "r1n[1-2]x,r2n1x"},
		{{"n1", "m1", "n2"}, "m1,n[1-2]"},
		{{"n99999999999999999999", "n1"}, "n1,n99999999999999999999"},
		{{NULL}, ""},
	};
	char text[256];
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const char *names[8];
		struct strbuf list;
		size_t count = 0;
		for (; count < 8 && cases[i].names[count] != NULL; count++)
			names[count] = cases[i].names[count];
		strbuf_init(&list, text, sizeof text);
		CHECK(hostlist_compress(names, count, &list));
		CHECK_STR(text, cases[i].list);
	}
}

static const struct check_test tests[] = {
	{"a list expands to its names", lists},
	{"a malformed list is rejected", others},
	{"a callback that fails ends the expansion", stops},
	{"names are compressed in order, each once", together},
};
CHECK_MAIN(tests)
