/* Unit tests of recshape: the text of a record without its numbers and its time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "recshape.h"

#include "check.h"
#include "randomness.h"

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

/* Return so many integers as `1,2`. */
static const char *
integers_of(const struct recshape_values *values, size_t count, char *text, size_t size)
{
	struct strbuf list;
	strbuf_init(&list, text, size);
	for (size_t i = 0; i < count; i++)
		strbuf_addf(&list, "%s%" PRId64, i > 0 ? "," : "", values->integers[i]);
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
	struct recshape_values values = {.capacity = 0};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char *text = quoted_new(rows[i].text), *line = quoted_new(rows[i].line);
		char integers[200];
		CHECK(recshape_read(&shape, &values, line, strlen(line)));
		CHECK_STR(shape.text.bytes, text);
		CHECK_STR(integers_of(&values, shape.count, integers, sizeof integers),
			rows[i].integers);
		CHECK_INT((int64_t)shape.strings, rows[i].strings);
		CHECK(shape.has_ts == (rows[i].ts != NULL));
		if (shape.has_ts && rows[i].ts != NULL) {
			CHECK_INT((int64_t)values.ts_length, (int64_t)strlen(rows[i].ts));
			CHECK(strncmp(values.ts, rows[i].ts, values.ts_length) == 0);
		}
		free(line);
		free(text);
	}
	recshape_values_fini(&values);
	recshape_fini(&shape);
}

static void
not_so_easily(void)
{
	static const char *const lines[] = {
		"{'a':'\\''}", "\\", "'", "{'a", "{'a':'b}", "{'ts':'x", "{'ts':'", "{'ts'"};
	struct recshape shape = {.count = 0};
	struct recshape_values values = {.capacity = 0};
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		char *line = quoted_new(lines[i]);
		/* A string without its end, except for the last row. */
		CHECK(recshape_read(&shape, &values, line, strlen(line)) ==
			(i + 1 == CHECK_COUNT(lines)));
		free(line);
	}
	recshape_values_fini(&values);
	recshape_fini(&shape);
}

/* Bytes behind a line's end are not read. */
static void
bounded(void)
{
	static const char line[] = "{\"ts\":\"12:00\",\"a\":-15.5e+3,\"b\":-12}";
	struct recshape shape = {.count = 0}, whole = {.count = 0};
	struct recshape_values values = {.capacity = 0};
	for (size_t length = 0; length < sizeof line; length++) {
		char *copy = malloc(length + 1);
		memcpy(copy, line, length);
		check_row("%zu bytes", length);
		/* The address sanitizer checks it. */
		if (recshape_read(&shape, &values, copy, length))
			CHECK(shape.text.length <= length);
		CHECK(recshape_read(&whole, &values, line, sizeof line - 1));
		CHECK(recshape_match(&whole, &values, copy, length) == (length == sizeof line - 1));
		free(copy);
	}
	recshape_values_fini(&values);
	recshape_fini(&shape);
	recshape_fini(&whole);
}

/* Change, insert and remove some bytes of a line. The result is a copy, to free(). */
static char *
changed_new(const char *line, uint64_t *random)
{
	static const char alphabet[] = "0123456789-+.eE\"{}[]:, \\tsn\x01";
	size_t length = strlen(line);
	char *copy = malloc(length + 4);
	memcpy(copy, line, length + 1);
	for (size_t changes = randomness_below(random, 4); changes > 0 && length > 1; changes--) {
		size_t at = randomness_below(random, length);
		char c = alphabet[randomness_below(random, sizeof alphabet - 1)];
		switch (randomness_below(random, 3)) {
		case 0:
			memmove(copy + at, copy + at + 1, length - at);
			length--;
			break;
		case 1:
			memmove(copy + at + 1, copy + at, length - at + 1);
			length++;
			copy[at] = c;
			break;
		default:
			copy[at] = c;
		}
	}
	return copy;
}

static bool
are_same(const struct recshape *shape, const struct recshape_values *one,
	const struct recshape_values *other)
{
	for (size_t i = 0; i < shape->count; i++) {
		if (one->integers[i] != other->integers[i])
			return false;
	}
	return !shape->has_ts || (one->ts == other->ts && one->ts_length == other->ts_length);
}

/* Thousands of pairs of similar lines, some of which have one shape. */
static void
matches(void)
{
	static const char *const samples[] = {
		"{'ts':'12:00','n':1}",
		"{'kind':'x','scan':3,'ts':'2026-11-27T13','device':'mlx5_0','a':{'b':0,'c':[12]}}",
		"{'a':-15,'b':999999999999999999,'c':1.5,'ts':''}",
		"[1]",
	};
	uint64_t random = 1;
	size_t same = 0, different = 0;
	struct recshape shape = {.count = 0}, other = {.count = 0};
	/* Room is made for a shape by whoever reads or compares first. */
	struct recshape_values read = {.capacity = 0}, values = {.capacity = 0};
	for (int round = 0; round < 40000; round++) {
		char *sample = check_replaced_new(
			strdup(samples[randomness_below(&random, CHECK_COUNT(samples))]), "'",
			"\"");
		char *first = changed_new(sample, &random), *second = changed_new(sample, &random);
		check_row("%s, %s", first, second);
		bool known = recshape_read(&shape, &read, first, strlen(first));
		bool expected = recshape_read(&other, &read, second, strlen(second)) && known &&
				strcmp(shape.text.bytes, other.text.bytes) == 0;
		if (known) {
			CHECK(recshape_match(&shape, &values, second, strlen(second)) == expected);
			CHECK(!expected || are_same(&shape, &values, &read));
			same += expected;
			different += !expected;
			CHECK(recshape_match(&shape, &values, first, strlen(first)));
		}
		free(second);
		free(first);
		free(sample);
	}
	CHECK(same > 1000 && different > 1000);
	recshape_values_fini(&read);
	recshape_values_fini(&values);
	recshape_fini(&shape);
	recshape_fini(&other);
}

static const struct check_test tests[] = {
	{"in a record's shape each integer is 0, and its time is empty", shapes},
	{"a string with an escape, or without its end, has no shape", not_so_easily},
	{"a record matches a shape if it has this shape, with the same values", matches},
	{"a record is read up to its end and no further", bounded},
};
CHECK_MAIN(tests)
