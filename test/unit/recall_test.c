/* Unit tests of recall: reusing the record of the scan before if only its numbers differ. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "recall.h"

#include "check.h"
#include "randomness.h"

#include <string.h>

/* Parse with recall, check that the result equals the parser's, and return it, to release. NULL: no
 * record. */
static json_t *
parsed_bytes_new(struct recall *recall, const char *line, size_t length)
{
	struct rec_error error = {.reason = ""}, expected_error = {.reason = ""};
	json_t *record = recall_parse_new(recall, line, length, &error);
	json_t *expected = rec_parse_new(line, length, &expected_error);
	char *text = record != NULL ? json_dumps(record, JSON_COMPACT) : NULL;
	char *expected_text = expected != NULL ? json_dumps(expected, JSON_COMPACT) : NULL;

	/* The order of members counts, too. */
	CHECK_STR(text, expected_text);
	CHECK_STR(error.reason, expected_error.reason);
	CHECK_INT((int64_t)error.offset, (int64_t)expected_error.offset);
	free(text);
	free(expected_text);
	json_decref(expected);
	return record;
}

/* The same for a text with ' for ". */
static json_t *
parsed_new(struct recall *recall, const char *text)
{
	char *line = check_replaced_new(strdup(text), "'", "\"");
	json_t *record = parsed_bytes_new(recall, line, strlen(line));
	free(line);
	return record;
}

static bool
is_remembered(const json_t *record)
{
	return record->refcount > 1;
}

/* Return how many trees two successive lines need. */
static int
trees_of(const char *first, const char *second)
{
	struct recall *recall = recall_new();
	json_t *one = parsed_new(recall, first);
	const json_t *kept = is_remembered(one) ? one : NULL;
	json_decref(one);
	json_t *two = parsed_new(recall, second);
	int trees = two == kept ? 1 : 2;
	json_decref(two);
	recall_free(recall);
	return trees;
}

static void
recalls(void)
{
	static const struct {
		const char *first, *second;
		int trees;
	} rows[] = {
		{"{'kind':'port','n':1}", "{'kind':'port','n':1}", 1},
		{"{'kind':'port','n':1}", "{'kind':'port','n':-200}", 1},
		{"{'kind':'port','ts':'1','n':1}", "{'kind':'port','ts':'12:30','n':2}", 1},
		{"{'n':1,'o':{'a':[1,2,{'b':3}]},'kind':'x','m':4}",
			"{'n':9,'o':{'a':[8,7,{'b':6}]},'kind':'x','m':5}", 1},
		{"{'kind':'x','a':[],'o':{},'t':true,'r':1.5}",
			"{'kind':'x','a':[],'o':{},'t':true,'r':1.5}", 1},
		/* A value other than a number has changed. */
		{"{'kind':'x','s':'a'}", "{'kind':'x','s':'b'}", 2},
		{"{'kind':'x','n':1}", "{'kind':'x','m':1}", 2},
		{"{'kind':'x','n':1}", "{'kind':'x','n':null}", 2},
		{"{'kind':'x','n':0}", "{'kind':'x','n':'0'}", 2},
		{"{'kind':'x','n':1}", "{'kind':'x','n':1.5}", 2},
		{"{'kind':'x','n':1}", "{'kind':'x','n':1000000000000000000}", 2},
		/* [1,2] and [12] have the same digits, but not the same numbers. */
		{"{'kind':'x','n':[1,2]}", "{'kind':'x','n':[12]}", 2},
		{"{'kind':'x','n':[1,2]}", "{'kind':'x','n':[1,2,3]}", 2},
		/* Of a repeated key the last one counts, at the position of the first. */
		{"{'kind':'x','b':1,'a':2,'b':3}", "{'kind':'x','b':4,'a':5,'b':6}", 2},
		{"{'kind':'x','b':'x','a':1,'b':2}", "{'kind':'x','b':'x','a':3,'b':4}", 2},
		{"{'ts':'a','kind':'x','ts':'b'}", "{'ts':'c','kind':'x','ts':'d'}", 2},
		{"{'kind':'x','s':'\\n','n':1}", "{'kind':'x','s':'\\n','n':2}", 2},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s, %s", rows[i].first, rows[i].second);
		CHECK_INT(trees_of(rows[i].first, rows[i].second), rows[i].trees);
	}
}

/* Malformed JSON may look like a record apart from its numbers. */
static void
no_records(void)
{
	static const char *const lines[] = {"{'kind':'x',1'n':,'m':2}", "{'kind':'x','n':1,'m':}",
		"{'kind':'x','n':01,'m':2}", "{'kind':'x','n':-0,'m':2}",
		"{'kind':'x','n':--1,'m':2}", "{'kind':'x','n':1 1,'m':2}",
		"{'kind':'x','n':1,'m':2}}", "{'kind':'x','n':1,'m':2", "{'kind':'x','n':1,'m':2}x",
		"1", "{'n':1}", ""};
	struct recall *recall = recall_new();
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		check_row("%s", lines[i]);
		json_decref(parsed_new(recall, "{'kind':'x','n':1,'m':2}"));
		json_decref(parsed_new(recall, lines[i]));
	}
	recall_free(recall);
}

/* Return the part of a record that the caller holds. */
static json_t *
part_of(json_t *record, const char *part)
{
	if (*part == '\0')
		return record;
	if (strcmp(part, "deep") == 0)
		return json_array_get(json_object_get(record, "a"), 1);
	return json_object_get(record, part);
}

static void
left_alone(void)
{
	static const char first[] = "{'kind':'x','ts':'1','n':1,'o':{'p':2},'a':[3,{'q':4}]}";
	static const char second[] = "{'kind':'x','ts':'2','n':5,'o':{'p':6},'a':[7,{'q':8}]}";
	static const char *const parts[] = {"", "ts", "n", "o", "a", "deep"};
	for (size_t i = 0; i < CHECK_COUNT(parts); i++) {
		struct recall *recall = recall_new();
		check_row("the caller holds '%s'", parts[i]);
		json_t *record = parsed_new(recall, first);
		json_t *part = json_incref(part_of(record, parts[i]));
		char *before = json_dumps(part, JSON_ENCODE_ANY);
		json_decref(record);

		json_decref(parsed_new(recall, second));
		char *after = json_dumps(part, JSON_ENCODE_ANY);
		CHECK_STR(after, before);
		free(before);
		free(after);
		json_decref(part);
		recall_free(recall);
	}
}

/* What stays the same may be held: it is not touched. */
static void
held_and_recalled(void)
{
	static const char first[] = "{'kind':'x','ts':'1','n':1,'m':2,'list':['a',{'b':true}]}";
	static const char second[] = "{'kind':'x','ts':'2','n':1,'m':3,'list':['a',{'b':true}]}";
	static const char third[] = "{'kind':'x','ts':'3','n':4,'m':3,'list':['a',{'b':true}]}";
	struct recall *recall = recall_new();
	json_t *record = parsed_new(recall, first);
	const json_t *tree = record;
	json_t *list = json_incref(json_object_get(record, "list"));
	json_t *n = json_incref(json_object_get(record, "n"));
	json_decref(record);

	record = parsed_new(recall, second);
	CHECK(record == tree);
	json_decref(record);
	/* Now it would change. */
	record = parsed_new(recall, third);
	CHECK(record != tree);
	CHECK_INT(json_integer_value(n), 1);
	json_decref(record);
	json_decref(n);
	json_decref(list);
	recall_free(recall);
}

/* In each scan the two ports of a NIC have records of one shape. */
static void
two_of_a_shape(void)
{
	struct recall *recall = recall_new();
	const json_t *trees[2] = {NULL, NULL};
	for (int scan = 0; scan < 3; scan++) {
		json_t *one = parsed_new(recall, "{'kind':'port','port':1}");
		json_t *two = parsed_new(recall, "{'kind':'port','port':2}");
		check_row("scan %d", scan);
		CHECK(one != two);
		CHECK(scan == 0 || (one == trees[0] && two == trees[1]));
		trees[0] = one;
		trees[1] = two;
		json_decref(one);
		json_decref(two);
		recall_turn(recall);
	}
	recall_free(recall);
}

/* After a change of order, of devices or of values, the records come as they are. */
static void
other_order(void)
{
	enum { DEVICES = 6 };
	uint64_t random = 1;
	struct recall *recall = recall_new();
	const json_t *trees[DEVICES] = {NULL};
	for (int scan = 0; scan < 200; scan++) {
		for (int i = 0; i < DEVICES; i++) {
			size_t device =
				scan % 20 < 10 ? (size_t)i : randomness_below(&random, DEVICES);
			char line[100];
			snprintf(line, sizeof line,
				"{'kind':'device','device':'mlx5_%zu','n':%d,'ts':'%d'}", device,
				scan, i);
			check_row("scan %d, %s", scan, line);
			json_t *record = parsed_new(recall, line);
			CHECK(trees[device] == NULL || record == trees[device]);
			trees[device] = record;
			json_decref(record);
		}
		recall_turn(recall);
	}
	recall_free(recall);
}

/* Records beyond the number of any NIC's ports are still parsed. */
static void
many_of_a_shape(void)
{
	enum { MANY = 200 };
	struct recall *recall = recall_new();
	json_t *records[MANY];
	for (size_t i = 0; i < MANY; i++)
		records[i] = parsed_new(recall, "{'kind':'port','port':1}");
	size_t remembered = 0;
	for (size_t i = 0; i < MANY; i++)
		remembered += records[i]->refcount > 1;
	CHECK(remembered > 0 && remembered < MANY);
	for (size_t i = 0; i < MANY; i++)
		json_decref(records[i]);
	recall_free(recall);
}

/* There is none for a record that is not remembered, or after the end of a scan. */
static void
memos(void)
{
	struct recall *recall = recall_new();
	CHECK(recall_memo(recall) == NULL);
	json_decref(parsed_new(recall, "{'kind':'x','n':1}"));
	const struct rec_memo *memo = recall_memo(recall);
	CHECK(memo != NULL);
	json_decref(parsed_new(recall, "{'kind':'x','n':2}"));
	CHECK(recall_memo(recall) == memo);
	json_decref(parsed_new(recall, "{'kind':'\\u0041','n':2}"));
	CHECK(recall_memo(recall) == NULL);
	json_decref(parsed_new(recall, "{'kind':'x','n':3}"));
	CHECK(recall_memo(recall) == memo);
	recall_turn(recall);
	CHECK(recall_memo(recall) == NULL);
	/* Another tree has another memo. */
	json_t *held = parsed_new(recall, "{'kind':'x','n':4}");
	CHECK(recall_memo(recall) == memo);
	json_decref(parsed_new(recall, "{'kind':'x','n':5}"));
	CHECK(recall_memo(recall) != memo);
	json_decref(held);
	recall_free(recall);
}

static void
forgets(void)
{
	struct recall *recall = recall_new();
	json_t *records[50];
	for (size_t i = 0; i < CHECK_COUNT(records); i++) {
		char line[100];
		snprintf(line, sizeof line, "{'kind':'device','device':'mlx5_%zu','n':1}", i);
		records[i] = parsed_new(recall, line);
		CHECK(is_remembered(records[i]));
	}
	/* Every third one comes again. */
	for (int scan = 0; scan < 40; scan++) {
		for (size_t i = 0; i < CHECK_COUNT(records); i += 3) {
			char line[100];
			snprintf(line, sizeof line, "{'kind':'device','device':'mlx5_%zu','n':%d}",
				i, scan);
			check_row("scan %d, %s", scan, line);
			const json_t *before = records[i];
			CHECK(is_remembered(before));
			json_decref(records[i]);
			records[i] = parsed_new(recall, line);
			CHECK(records[i] == before);
		}
		recall_turn(recall);
	}
	for (size_t i = 0; i < CHECK_COUNT(records); i++) {
		check_row("%zu", i);
		CHECK(is_remembered(records[i]) == (i % 3 == 0));
		json_decref(records[i]);
	}
	recall_free(recall);
}

/* Such a record is parsed each time. */
static void
long_record(void)
{
	char *padding = check_repeat_new('x', 20000);
	char *line = NULL;
	struct recall *recall = recall_new();
	CHECK(asprintf(&line, "{'kind':'%s'}", padding) > 0);
	json_t *record = parsed_new(recall, line);
	CHECK(!is_remembered(record));
	json_decref(record);
	recall_free(recall);
	free(line);
	free(padding);
}

/* Thousands of records with changed, swapped and missing bytes: the result always equals the
 * parser's. */
static void
any_bytes(void)
{
	static const char *const samples[] = {
		"{'kind':'port','scan':3,'ts':'2026-11-27T13:16:15.215161Z','device':'mlx5_0','"
		"port'"
		":1,'state':'ACTIVE','rate_gbps':2.5,'lid':0,'counters':{'a':0,'b':12}}",
		"{'kind':'scan.end','scan':3,'devices':[1,-2,{'x':[]}],'complete':true,'n':null}",
	};
	static const char alphabet[] = "0123456789-+.eE\"{}[]:, \\tsnul\x01";
	uint64_t random = 1;
	struct recall *recall = recall_new();
	for (int round = 0; round < 20000; round++) {
		char *line = check_replaced_new(
			strdup(samples[randomness_below(&random, 2)]), "'", "\"");
		size_t length = strlen(line);
		for (size_t changes = randomness_below(&random, 4); changes > 0; changes--) {
			size_t at = randomness_below(&random, length - 1);
			if (randomness_below(&random, 3) == 0) {
				memmove(line + at, line + at + 1, length - at);
				length--;
			} else {
				line[at] = alphabet[randomness_below(&random, sizeof alphabet - 1)];
			}
		}
		check_row("round %d: %s", round, line);
		json_decref(parsed_bytes_new(recall, line, length));
		free(line);
	}
	recall_free(recall);
}

static const struct check_test tests[] = {
	{"a remembered record keeps its memo", memos},
	{"a record that differs only in its numbers and its time is not parsed again", recalls},
	{"malformed JSON is rejected, however similar to a record", no_records},
	{"a record that the caller still holds, or a part of it, stays unchanged", left_alone},
	{"a record is recalled while the caller holds parts that stay the same", held_and_recalled},
	{"both ports of a NIC are recalled", two_of_a_shape},
	{"records are recalled in any order", other_order},
	{"too many records of one shape are not remembered", many_of_a_shape},
	{"a record that did not come for some scans is forgotten", forgets},
	{"a record longer than any port's is not remembered", long_record},
	{"any line gives the same result as the parser", any_bytes},
};
CHECK_MAIN(tests)
