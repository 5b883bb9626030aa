/* Unit tests of quickjson: a fast parser for simple JSON texts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "quickjson.h"

#include "check.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value as text: `name=` before members, values in order. */
struct shown {
	char text[512];
};

static void show(struct shown *shown, struct quickjson value);

static void
add(struct shown *shown, const char *bytes, size_t length)
{
	size_t used = strlen(shown->text);
	snprintf(shown->text + used, sizeof shown->text - used, "%.*s", (int)length, bytes);
}

static void
show_item(void *context, struct quickjson value)
{
	show(context, value);
	add(context, " ", 1);
}

static void
show_member(void *context, const char *name, size_t length, struct quickjson value)
{
	add(context, name, length);
	add(context, "=", 1);
	show_item(context, value);
}

static void
show(struct shown *shown, struct quickjson value)
{
	const char *text;
	size_t length;
	uint64_t number;
	bool flag;
	char digits[32];
	if (quickjson_text(value, &text, &length))
		add(shown, text, length);
	if (quickjson_bool(value, &flag))
		add(shown, flag ? "T" : "F", 1);
	if (quickjson_u64(value, &number)) {
		int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
		add(shown, digits, (size_t)n);
	}
	quickjson_members(value, show_member, shown);
	quickjson_items(value, show_item, shown);
}

static void
reads(void)
{
	static const struct {
		const char *json, *shown;
	} rows[] = {
		{"{}", ""},
		{"\"text\"", "text"},
		{"{\"a\":\"b\",\"c\":[1,true,\"d\\n\",[false]],\"e\":{\"f\":null}}",
			"a=b c=1 T d\n F   e=f=  "},
		{"18446744073709551615", "18446744073709551615"},
		{"[-1, 1.5, 0]", "  0 "},
		/* Both are there, in order. */
		{"{\"a\":1,\"a\":2}", "a=1 a=2 "},
		{"{\"\\u00e4\":\"\xc3\xa4\"}", "\xc3\xa4=\xc3\xa4 "},
		/* An escaped backslash before u0000 is no NUL. */
		{"[\"\\\\u0000\",\"\\\\\\\\u0000\"]", "\\u0000 \\\\u0000 "},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct quickjson root;
		struct shown shown = {""};
		check_row("%s", rows[i].json);
		CHECK(quickjson_parse(rows[i].json, strlen(rows[i].json), &root));
		show(&shown, root);
		CHECK_STR(shown.text, rows[i].shown);
	}
}

static void
refuses(void)
{
	static const char *const texts[] = {"", " ", "{", "{\"a\":1", "{\"a\":1}}", "{\"a\" 1}",
		"{'a':1}", "nul", "[1,]", "\"\xff\"", "\"\\ud800\"", "{\"a\":\"\\u0000\"}",
		"{\"\\u0000\":1}", "\"\\\\\\u0000\"", "99999999999999999999999999999", "01",
		"\"a\nb\""};
	struct quickjson root;
	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		check_row("%s", texts[i]);
		CHECK(!quickjson_parse(texts[i], strlen(texts[i]), &root));
	}
	/* The depth is limited. */
	char deep[8192];
	memset(deep, '[', sizeof deep / 2);
	memset(deep + sizeof deep / 2, ']', sizeof deep / 2);
	CHECK(!quickjson_parse(deep, sizeof deep, &root));
}

/* A record that rec_parse_new() accepts is read here, too: a caller takes a refusal for a lack of
 * memory. */
static void
nests_like_jansson(void)
{
	char deep[2 * JSON_PARSER_MAX_DEPTH];
	struct quickjson root;
	memset(deep, '[', sizeof deep / 2);
	memset(deep + sizeof deep / 2, ']', sizeof deep / 2);
	json_t *json = json_loadb(deep, sizeof deep, 0, NULL);
	CHECK(json != NULL);
	CHECK(quickjson_parse(deep, sizeof deep, &root));
	json_decref(json);
}

/* Exactly as many bytes as given. */
static void
is_bounded(void)
{
	static const char text[] = "{\"a\":\"0123456789012345678901234567890123456789\"}";
	for (size_t length = 0; length < sizeof text; length++) {
		char *copy = malloc(length + 1);
		struct quickjson root;
		memcpy(copy, text, length);
		CHECK(quickjson_parse(copy, length, &root) == (length == sizeof text - 1));
		free(copy);
	}
}

static const struct check_test tests[] = {
	{"all values of a text are found, in order", reads},
	{"malformed or too large JSON is refused", refuses},
	{"values are as deep as in jansson", nests_like_jansson},
	{"bytes behind the text are not read", is_bounded},
};
CHECK_MAIN(tests)
