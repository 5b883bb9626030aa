/* Unit tests of emit's batch: consecutive events as lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/batch.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static const struct choice all;

static void
holds_lines(void)
{
	struct batch batch = {0};
	size_t bytes = 0;
	for (uint64_t n = 1; n <= 1000; n++) {
		char record[40];
		int length = snprintf(record, sizeof record, "{\"n\":%llu}", (unsigned long long)n);
		CHECK_INT(batch_add(&batch, 2 * n, record, (size_t)length), 0);
		bytes += (size_t)length + 1;
	}
	CHECK_U64(batch.count, 1000);
	CHECK_U64(batch.lines.length, bytes);
	for (size_t i = 0; i < batch.count; i++) {
		char line[40];
		snprintf(line, sizeof line, "{\"n\":%zu}\n", i + 1);
		CHECK_U64(batch.events[i].number, 2 * (i + 1));
		CHECK_U64(batch.events[i].length, strlen(line));
		CHECK(memcmp(batch_line(&batch, i), line, strlen(line)) == 0);
	}
	batch_fini(&batch);
	CHECK(batch.lines.bytes == NULL && batch.events == NULL && batch.count == 0);
}

static void
is_used_again(void)
{
	struct batch batch = {0};
	CHECK_INT(batch_add(&batch, 1, "first", 5), 0);
	batch_clear(&batch);
	CHECK(batch.count == 0 && batch.lines.length == 0);
	CHECK_INT(batch_add(&batch, 2, "", 0), 0);
	CHECK_INT(batch_add(&batch, 3, "second", 6), 0);
	CHECK_U64(batch.lines.length, 8);
	CHECK(memcmp(batch_line(&batch, 0), "\nsecond\n", 8) == 0);
	CHECK(memcmp(batch_line(&batch, 1), "second\n", 7) == 0);
	batch_fini(&batch);
	batch_fini(&batch);
}

static void
takes_long_lines(void)
{
	struct batch batch = {0};
	size_t length = (size_t)1 << 20;
	char *record = check_repeat_new('x', length);
	CHECK_INT(batch_add(&batch, 1, "a", 1), 0);
	CHECK_INT(batch_add(&batch, 2, record, length), 0);
	CHECK_U64(batch.lines.length, length + 3);
	CHECK(memcmp(batch_line(&batch, 1), record, length) == 0);
	CHECK_INT(batch_line(&batch, 1)[length], '\n');
	free(record);
	batch_fini(&batch);
}

static void
is_cut(void)
{
	struct batch batch = {0};
	batch_cut(&batch, 0);
	CHECK_U64(batch.count, 0);
	CHECK_INT(batch_add(&batch, 1, "one", 3), 0);
	CHECK_INT(batch_add(&batch, 2, "two", 3), 0);
	CHECK_INT(batch_add(&batch, 3, "three", 5), 0);
	batch_cut(&batch, 3);
	CHECK_U64(batch.count, 3);
	batch_cut(&batch, 2);
	CHECK(batch.count == 2 && batch.lines.length == 8);
	CHECK_INT(batch_add(&batch, 4, "four", 4), 0);
	CHECK(memcmp(batch_line(&batch, 1), "two\nfour\n", 9) == 0);
	CHECK_U64(batch.events[2].number, 4);
	batch_fini(&batch);
}

static void
leaves_out_quiet(void)
{
	struct batch batch = {0};
	batch_leave_out(&batch, false, &all);
	CHECK_U64(batch.count, 0);
	for (uint64_t n = 1; n <= 6; n++) {
		char record[2] = {(char)('0' + n), '\0'};
		CHECK_INT(batch_add(&batch, n, record, 1), 0);
		CHECK(!batch.events[n - 1].quiet);
		batch.events[n - 1].quiet = n == 1 || n == 2 || n == 4;
		batch.events[n - 1].answered = n == 6;
	}
	batch_leave_out(&batch, true, &all);
	CHECK_U64(batch.count, 5);
	batch_leave_out(&batch, false, &all);
	CHECK_U64(batch.count, 2);
	CHECK_U64(batch.events[0].number, 3);
	CHECK_U64(batch.events[1].number, 5);
	CHECK(memcmp(batch_line(&batch, 0), "3\n", 2) == 0);
	CHECK(memcmp(batch_line(&batch, 1), "5\n", 2) == 0);
	batch_fini(&batch);
}

static void
add(struct batch *batch, uint64_t number, const char *record)
{
	CHECK_INT(batch_add(batch, number, record, strlen(record)), 0);
}

static int
n_of(const struct batch *batch, size_t index)
{
	return (int)json_integer_value(json_object_get(batch_record(batch, index), "n"));
}

static void
parses_once(void)
{
	struct batch batch = {0};
	add(&batch, 1, "{\"kind\":\"event\",\"n\":1}");
	add(&batch, 2, "{\"kind\":\"event\",\"n\":2}");
	add(&batch, 3, "{\"kind\":\"event\",\"n\":3}");
	CHECK_INT(n_of(&batch, 2), 3);
	CHECK_INT(n_of(&batch, 0), 1);
	CHECK(batch_record(&batch, 0) == batch_record(&batch, 0));
	/* Removing an event removes its record. */
	batch.events[0].quiet = true;
	batch_leave_out(&batch, false, &all);
	CHECK_INT(n_of(&batch, 0), 2);
	CHECK_INT(n_of(&batch, 1), 3);
	batch_cut(&batch, 1);
	add(&batch, 4, "{\"kind\":\"event\",\"n\":4}");
	CHECK_INT(n_of(&batch, 1), 4);
	batch_clear(&batch);
	add(&batch, 5, "no record");
	CHECK(batch_record(&batch, 0) == NULL);
	CHECK(batch_record(&batch, 0) == NULL);
	batch_fini(&batch);
}

static void
shifting(void)
{
	struct batch batch = {0};
	batch_shift(&batch, 5);
	CHECK_INT(batch_add(&batch, 3, "a", 1), 0);
	CHECK_INT(batch_add(&batch, 7, "b", 1), 0);
	batch_shift(&batch, 5);
	CHECK_INT((int64_t)batch.events[0].number, 8);
	CHECK_INT((int64_t)batch.events[1].number, 12);
	batch_fini(&batch);
}

static const struct check_test tests[] = {
	{"lines are kept with their numbers", holds_lines},
	{"an emptied batch is used again", is_used_again},
	{"a line may be as long as a record", takes_long_lines},
	{"a batch can be cut, and grows again", is_cut},
	{"an event is parsed once, and keeps its record when others are removed", parses_once},
	{"quiet events are removed, and the others stay in order", leaves_out_quiet},
	{"a shift raises all numbers by the same amount", shifting},
};
CHECK_MAIN(tests)
