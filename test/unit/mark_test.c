/* Unit tests of mark: the range of seqs that a stream has written. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "mark.h"

#include "check.h"

static void
reads(void)
{
	static const struct {
		const char *record;
		bool expected;
	} rows[] = {
		{"{'kind':'mark','source':'s','after':3,'seq':5}", true},
		{"{'kind':'mark','v':1,'source':'s','after':0,'seq':0,'more':[1]}", true},
		{"{'kind':'mark','source':'s','after':0,'seq':9223372036854775807}", true},
		{"{'kind':'mark','source':'s','after':0,'seq':'9223372036854775808'}", false},
		{"{'kind':'mark','source':'s','after':6,'seq':5}", false},
		{"{'kind':'mark','source':'s','after':-1,'seq':5}", false},
		{"{'kind':'mark','source':'s','seq':5}", false},
		{"{'kind':'mark','source':'s','after':3}", false},
		{"{'kind':'mark','source':'','after':3,'seq':5}", false},
		{"{'kind':'mark','source':7,'after':3,'seq':5}", false},
		{"{'kind':'mark','after':3,'seq':5}", false},
		{"{'kind':'event','source':'s','after':3,'seq':5}", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct mark mark;
		json_t *record = check_json_new(rows[i].record);
		check_row("%s", rows[i].record);
		CHECK_INT(mark_read(record, &mark), rows[i].expected);
		json_decref(record);
	}
	for (size_t length = MARK_SOURCE_MAX; length <= MARK_SOURCE_MAX + 1; length++) {
		struct mark mark;
		char *source = check_repeat_new('s', length);
		json_t *record = mark_new(source, 1, 2);
		CHECK_INT(mark_read(record, &mark), length <= MARK_SOURCE_MAX);
		json_decref(record);
		free(source);
	}
}

static void
writes(void)
{
	json_t *record = mark_new("s", 3, INT64_MAX);
	struct mark mark;
	CHECK(mark_read(record, &mark));
	CHECK_STR(mark.source, "s");
	CHECK_U64(mark.after, 3);
	CHECK_U64(mark.seq, INT64_MAX);
	CHECK_INT(json_integer_value(json_object_get(record, "v")), 1);
	json_decref(record);
}

static void
joins(void)
{
	static const struct {
		uint64_t after, seq;         /* of the second */
		uint64_t new_after, new_seq; /* of the joined mark */
	} rows[] = {
		{6, 9, 4, 9},
		{6, 6, 4, 6},
		{5, 9, 4, 9},
		/* The writer has restarted. */
		{4, 5, 4, 5},
		{3, 9, 3, 9},
		/* The range in between was not written. */
		{7, 9, 7, 9},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct mark mark = {.source = "s", .after = 4, .seq = 6};
		json_t *marks = json_object();
		check_row("after %d, up to %d", (int)rows[i].after, (int)rows[i].seq);
		CHECK_INT(mark_join(marks, &mark), 0);
		mark.source = "other";
		CHECK_INT(mark_join(marks, &mark), 0);
		mark = (struct mark){"s", rows[i].after, rows[i].seq};
		CHECK_INT(mark_join(marks, &mark), 0);
		CHECK(mark_read(json_object_get(marks, "s"), &mark));
		CHECK_U64(mark.after, rows[i].new_after);
		CHECK_U64(mark.seq, rows[i].new_seq);
		CHECK(mark_read(json_object_get(marks, "other"), &mark));
		CHECK_U64(mark.after, 4);
		CHECK_U64(mark.seq, 6);
		json_decref(marks);
	}
}

static const struct check_test tests[] = {
	{"a mark has a source, a start and an end, and any other record is rejected", reads},
	{"a written mark reads back the same", writes},
	{"consecutive marks are joined, and any other mark replaces the first", joins},
};
CHECK_MAIN(tests)
