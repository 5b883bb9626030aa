/* Unit tests of recshape: the text of a record without its numbers and its time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "recshape.h"

#include "check.h"

#include <inttypes.h>
#include <string.h>

/* Return a line of a table with JSON's quotes, to free(). */
static char *
quoted_new(const char *row)
{
	char *line = check_replaced_new(strdup(row), "'", "\"");
	check_row("%s", line);
	return line;
}

/* Return the integers of a shape, as `1,2`. */
static const char *
integers_of(const struct recshape *shape, char *text, size_t size)
{
	struct strbuf list;
	strbuf_init(&list, text, size);
	for (size_t i = 0; i < shape->count; i++)
		strbuf_addf(&list, "%s%" PRId64, i > 0 ? "," : "", shape->integers[i]);
	return text;
}

static void
shapes(void)
{
	static const struct {
		const char *line, *text, *integers, *ts;
		int strings;
	} rows[] = {
		{"", "", "", NULL, 0},
		{"{}", "{}", "", NULL, 0},
		{"{'kind':'x'}", "{'kind':'x'}", "", NULL, 2},
		{"{'a':1,'b':-20}", "{'a':0,'b':0}", "1,-20", NULL, 2},
		{"{'a':0}", "{'a':0}", "0", NULL, 1},
		{"{'a':[7,8,{'b':9}]}", "{'a':[0,0,{'b':0}]}", "7,8,9", NULL, 2},
		{"{'a':999999999999999999}", "{'a':0}", "999999999999999999", NULL, 1},
		{"{'a':-999999999999999999}", "{'a':0}", "-999999999999999999", NULL, 1},
		/* More digits, and numbers that are no JSON integers, are text. */
		{"{'a':1000000000000000000}", "{'a':1000000000000000000}", "", NULL, 1},
		{"{'a':1.5,'b':1e3,'c':2}", "{'a':1.5,'b':1e3,'c':0}", "2", NULL, 3},
		{"{'a':01,'b':-0,'c':-,'d':--1,'e':+1,'f':1-2}",
			"{'a':01,'b':-0,'c':-,'d':--1,'e':+0,'f':1-2}", "1", NULL, 6},
		/* Digits in a string are text. */
		{"{'mlx5_0':'port 1','n':3}", "{'mlx5_0':'port 1','n':0}", "3", NULL, 3},
		/* A misplaced number does not give the shape of a valid record. */
		{"{1'a':,2}", "{0'a':,0}", "1,2", NULL, 1},
		{"[1 2]", "[0 0]", "1,2", NULL, 0},
		/* Only the record's own `ts` is its time. */
		{"{'ts':'12:00','a':1}", "{'ts':'','a':0}", "1", "12:00", 3},
		{"{'a':{'ts':'12:00'},'b':{},'ts':'13:00'}", "{'a':{'ts':'12:00'},'b':{},'ts':''}",
			"", "13:00", 6},
		{"{'a':['ts'],'ts':''}", "{'a':['ts'],'ts':''}", "", "", 4},
		{"{'a':'ts','b':'x'}", "{'a':'ts','b':'x'}", "", NULL, 4},
		{"{'ts':12}", "{'ts':0}", "12", NULL, 1},
		{"{'ts' : '12:00'}", "{'ts' : '12:00'}", "", NULL, 2},
		{"{'ts':'1\t2'}", "{'ts':'1\t2'}", "", NULL, 2},
		{"{'ts':'\xc3\xa4'}", "{'ts':'\xc3\xa4'}", "", NULL, 2},
		{"{'ts':'\x7f'}", "{'ts':'\x7f'}", "", NULL, 2},
		{"}'ts':'x'", "}'ts':'x'", "", NULL, 2},
		{"{'xts':'1','tsx':'2','t':'3'}", "{'xts':'1','tsx':'2','t':'3'}", "", NULL, 6},
	};
	struct recshape shape = {.count = 0};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char *text = quoted_new(rows[i].text), *line = quoted_new(rows[i].line);
		char integers[200];
		CHECK(recshape_read(&shape, line, strlen(line)));
		CHECK_STR(shape.text.bytes, text);
		CHECK_STR(integers_of(&shape, integers, sizeof integers), rows[i].integers);
		CHECK_INT((int64_t)shape.strings, rows[i].strings);
		CHECK((shape.ts == NULL) == (rows[i].ts == NULL));
		if (shape.ts != NULL && rows[i].ts != NULL) {
			CHECK_INT((int64_t)shape.ts_length, (int64_t)strlen(rows[i].ts));
			CHECK(strncmp(shape.ts, rows[i].ts, shape.ts_length) == 0);
		}
		free(line);
		free(text);
	}
	recshape_fini(&shape);
}

static void
not_so_easily(void)
{
	static const char *const lines[] = {
		"{'a':'\\''}", "\\", "'", "{'a", "{'a':'b}", "{'ts':'x", "{'ts':'", "{'ts'"};
	struct recshape shape = {.count = 0};
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		char *line = quoted_new(lines[i]);
		/* A string without its end, except for the last row. */
		CHECK(recshape_read(&shape, line, strlen(line)) == (i + 1 == CHECK_COUNT(lines)));
		free(line);
	}
	recshape_fini(&shape);
}

/* Bytes behind a line's end are not read. */
static void
bounded(void)
{
	static const char line[] = "{\"ts\":\"12:00\",\"a\":-15.5e+3}";
	struct recshape shape = {.count = 0};
	for (size_t length = 0; length < sizeof line; length++) {
		char *copy = malloc(length + 1);
		memcpy(copy, line, length);
		check_row("%zu bytes", length);
		/* The address sanitizer checks it. */
		if (recshape_read(&shape, copy, length))
			CHECK(shape.text.length <= length);
		free(copy);
	}
	recshape_fini(&shape);
}

static const struct check_test tests[] = {
	{"in a record's shape each integer is 0, and its time is empty", shapes},
	{"a string with an escape, or without its end, has no shape", not_so_easily},
	{"a record is read up to its end and no further", bounded},
};
CHECK_MAIN(tests)
