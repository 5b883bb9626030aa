/* Unit tests of lnetread's walk: YAML as values with their paths. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/lnetread/walk.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* The calls of the handler: `path=text;` for a value, `path[` for a start, `path-` for the start of
 * an item. */
struct found {
	char text[2048];
	size_t length;
};

static void
begin(void *context, const char *path, bool is_item)
{
	struct found *found = context;
	found->length += (size_t)snprintf(found->text + found->length,
		sizeof found->text - found->length, "%s%c", path, is_item ? '-' : '[');
}

static void
value(void *context, const char *path, const char *text)
{
	struct found *found = context;
	found->length += (size_t)snprintf(found->text + found->length,
		sizeof found->text - found->length, "%s=%s;", path, text);
}

/* Return NULL, or the reason why the text was rejected. */
static const char *
walk_text(const char *text, size_t length, struct found *found, struct walk_error *error)
{
	static const struct walk_handler handler = {begin, value};
	*found = (struct found){.length = 0};
	*error = (struct walk_error){.reason = NULL};
	return walk(text, length, &handler, found, error) ? NULL : error->reason;
}

static void
paths(void)
{
	static const struct {
		const char *text, *found;
	} rows[] = {
		{"a: 1\nb: 2\n", "[a=1;b=2;"},
		{"net:\n-     net type: lo\n      x(s):\n      -   y: 1\n          z:\n"
		 "              w: 2\n      v: 3\nend: 4\n",
			"[net[net-net/net type=lo;net/x(s)[net/x(s)-net/x(s)/y=1;net/x(s)/z["
			"net/x(s)/z/w=2;net/v=3;end=4;"},
		{"a:\n- 1\n- 2\n", "[a[a=1;a=2;"},
		{"a:\nb: \"\"\n", "[a=;b=;"},
		{"a: 1\n---\nb: 2\n...\nc: 3\n", "[a=1;[b=2;[c=3;"},
		{"...\n...", ""},
		{"a: 1\n....: 2\n", "[a=1;....=2;"},
		{"just text\n", "=just text;"},
		{"", ""},
		{"# a comment\n", ""},
	};
	struct found found;
	struct walk_error error;

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		CHECK_STR(walk_text(rows[i].text, strlen(rows[i].text), &found, &error), NULL);
		CHECK_STR(found.text, rows[i].found);
	}
}

static void
refused(void)
{
	static const struct {
		const char *text, *reason;
		size_t line;
	} rows[] = {
		{"a: 1\nb: 2: 3\n", "mapping values are not allowed in this context", 2},
		{"a: &x 1\nb: *x\n", "an alias, which lnetctl never writes", 2},
		{"[a]: 1\n", "a key that is not text", 1},
		{"a: 1\n\tb: 2\n", "found a tab character that violates indentation", 2},
		{"a: 1\n...\n---\nb: 2\n...\nc: 3: 4\n",
			"mapping values are not allowed in this context", 6},
	};
	struct found found;
	struct walk_error error;

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		CHECK_STR(walk_text(rows[i].text, strlen(rows[i].text), &found, &error),
			rows[i].reason);
		CHECK_U64(error.line, rows[i].line);
		CHECK(!error.no_memory);
	}
}

/* Sequences in sequences. */
static const char *
walk_deep(size_t depth)
{
	struct found found;
	struct walk_error error;
	char *text = check_repeat_new('[', 2 * depth);
	memset(text + depth, ']', depth);
	const char *reason = walk_text(text, 2 * depth, &found, &error);
	free(text);
	return reason;
}

static void
depth(void)
{
	CHECK_STR(walk_deep(WALK_DEPTH_MAX), NULL);
	CHECK_STR(walk_deep(WALK_DEPTH_MAX + 1), "nested more deeply than lnetctl's output");
	CHECK_STR(walk_deep(100000), "nested more deeply than lnetctl's output");
}

/* Walk `A...A: {b: 1}` and then `c: 2`, where the path to b has `length` bytes. */
static void
walk_long(size_t length, struct found *found)
{
	struct walk_error error;
	char text[1024], *key = check_repeat_new('a', length - 2);
	int size = snprintf(text, sizeof text, "%s: {b: 1, d: [1]}\nc: 2\n", key);
	CHECK_STR(walk_text(text, (size_t)size, found, &error), NULL);
	free(key);
}

static void
long_paths(void)
{
	struct found found;
	walk_long(WALK_PATH_SIZE - 1, &found);
	CHECK_HAS(found.text, "/b=1;");
	CHECK_HAS(found.text, ";c=2;");
	/* the key fits, but the paths below it do not */
	walk_long(WALK_PATH_SIZE, &found);
	CHECK_INT((int64_t)check_occurrences(found.text, "=1;"), 0);
	CHECK_HAS(found.text, "c=2;");
	/* nor does the key */
	walk_long(WALK_PATH_SIZE + 2, &found);
	CHECK_STR(found.text, "[c=2;");
}

static const char *
walk_parts(size_t ends)
{
	struct found found;
	struct walk_error error;
	char text[4 * WALK_PARTS_MAX + 1];
	for (size_t i = 0; i < ends; i++)
		memcpy(text + 4 * i, "...\n", 4);
	return walk_text(text, 4 * ends, &found, &error);
}

static void
parts(void)
{
	CHECK_STR(walk_parts(WALK_PARTS_MAX - 1), NULL);
	CHECK_STR(walk_parts(WALK_PARTS_MAX), "too many lines of ... for lnetctl");
}

static void
nul(void)
{
	struct found found;
	struct walk_error error;
	static const char text[] = "\"a\\0b\": 1\nc: \"1\\0\"\nd: 2\n";
	CHECK_STR(walk_text(text, strlen(text), &found, &error), NULL);
	CHECK_STR(found.text, "[d=2;");
}

static const struct check_test tests[] = {
	{"a value has the path of its keys, through sequences and documents", paths},
	{"malformed YAML, or YAML that lnetctl never writes, is refused with its line", refused},
	{"values are read sixteen levels deep, and refused beyond", depth},
	{"values below a path that is too long are skipped, and the next ones are read",
		long_paths},
	{"a text with more documents than lnetctl has commands is refused", parts},
	{"a key or value with a NUL is skipped", nul},
};

CHECK_MAIN(tests)
