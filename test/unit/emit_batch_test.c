/* Unit tests of emit's batch: some events in a row, as lines. */
#include "../../tools/emit/batch.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

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
	CHECK_U64(batch.length, bytes);
	for (size_t i = 0; i < batch.count; i++) {
		char line[40];
		snprintf(line, sizeof line, "{\"n\":%zu}\n", i + 1);
		CHECK_U64(batch.events[i].number, 2 * (i + 1));
		CHECK_U64(batch.events[i].length, strlen(line));
		CHECK(memcmp(batch_line(&batch, i), line, strlen(line)) == 0);
	}
	batch_fini(&batch);
	CHECK(batch.bytes == NULL && batch.events == NULL && batch.count == 0);
}

static void
is_used_again(void)
{
	struct batch batch = {0};
	CHECK_INT(batch_add(&batch, 1, "first", 5), 0);
	batch_clear(&batch);
	CHECK(batch.count == 0 && batch.length == 0);
	CHECK_INT(batch_add(&batch, 2, "", 0), 0);
	CHECK_INT(batch_add(&batch, 3, "second", 6), 0);
	CHECK_U64(batch.length, 8);
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
	CHECK_U64(batch.length, length + 3);
	CHECK(memcmp(batch_line(&batch, 1), record, length) == 0);
	CHECK_INT(batch_line(&batch, 1)[length], '\n');
	free(record);
	batch_fini(&batch);
}

static const struct check_test tests[] = {
	{"lines are kept with their numbers", holds_lines},
	{"an emptied batch is used again", is_used_again},
	{"a line may be as long as a record", takes_long_lines},
};
CHECK_MAIN(tests)
