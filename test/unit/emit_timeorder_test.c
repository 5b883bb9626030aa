/* Unit tests of emit's timeorder: how many events fit in one message to a receiver that sorts by
 * time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/wire.h"

#include "check.h"
#include "randomness.h"

#include <stdio.h>
#include <stdlib.h>

/* Add an event of a check; `time` follows 2026-01-02T03:04:, NULL: without a time. */
static void
add(struct batch *batch, char check, const char *time)
{
	char line[200];
	int length = time != NULL ? snprintf(line, sizeof line,
					    "{\"kind\":\"event\",\"checkName\":\"%c\","
					    "\"generatedTimestamp\":\"2026-01-02T03:04:%sZ\"}",
					    check, time)
				  : snprintf(line, sizeof line,
					    "{\"kind\":\"event\",\"checkName\":\"%c\"}", check);
	CHECK_INT(batch_add(batch, batch->count + 1, line, (size_t)length), 0);
}

static size_t
prefix(const struct batch *batch)
{
	size_t count = 99;
	CHECK_INT(wire_prefix(batch, &count), 0);
	return count;
}

static void
cuts(void)
{
	static const struct {
		const char *story;
		const char *checks;   /* of each event */
		const char *times[6]; /* NULL: none */
		size_t expected;
	} rows[] = {
		{"nothing", "", {NULL}, 0},
		{"one", "a", {"05.1"}, 1},
		{"times that increase", "aaa", {"05.1", "05.2", "06"}, 3},
		{"by the smallest step of the wire format", "aa", {"05.000000001", "05.000000002"},
			2},
		{"two at the same time", "aa", {"05.1", "05.1"}, 1},
		{"the same time, written otherwise", "aa", {"05.1", "05.100000000"}, 1},
		{"a clock that was set back", "aaa", {"05.1", "05.2", "04"}, 2},
		{"not later than one further back", "aaa", {"09", "10", "09.5"}, 2},
		{"checks by themselves", "abab", {"05", "04", "06", "05"}, 4},
		{"of one check only", "abab", {"05", "04", "06", "04"}, 3},
		{"the first of several cuts", "aabb", {"05", "05", "04", "04"}, 1},
		{"one without a time behind one with", "aa", {"05", NULL}, 1},
		{"one with a time behind one without", "aa", {NULL, "05"}, 2},
		{"two without a time", "aa", {NULL, NULL}, 1},
		{"two without a time, of two checks", "ab", {NULL, NULL}, 2},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct batch batch = {0};
		check_row("%s", rows[i].story);
		for (size_t j = 0; rows[i].checks[j] != '\0'; j++)
			add(&batch, rows[i].checks[j], rows[i].times[j]);
		CHECK_U64(prefix(&batch), rows[i].expected);
		batch_fini(&batch);
	}
}

/* Such a line has no check and no time, and is no error. */
static void
takes_anything(void)
{
	struct batch batch = {0};
	CHECK_INT(batch_add(&batch, 1, "no record", 9), 0);
	add(&batch, 'a', "05");
	CHECK_INT(batch_add(&batch, 3, "{}", 2), 0);
	CHECK_U64(prefix(&batch), 2);
	batch_fini(&batch);
}

/* Whatever the batch, its pieces contain each event once, and within a piece the times of each
 * check increase. */
static void
pieces(void)
{
	uint64_t state = 1;
	for (int round = 0; round < 200; round++) {
		struct batch batch = {0};
		int times[20];
		char checks[21] = "";
		check_row("%d", round);
		for (int i = 0; i < 20; i++) {
			char time[8];
			times[i] = (int)randomness_below(&state, 30);
			checks[i] = "ab"[randomness_below(&state, 2)];
			snprintf(time, sizeof time, "%02d", times[i]);
			add(&batch, checks[i], time);
		}
		for (size_t begin = 0; begin < 20;) {
			struct batch rest = {0};
			for (size_t i = begin; i < 20; i++)
				batch_add(&rest, i + 1, batch_line(&batch, i),
					batch.events[i].length - 1);
			size_t end = begin + prefix(&rest);
			int latest[2] = {-1, -1};
			bool inverts = false;
			CHECK(end > begin);
			for (size_t i = begin; i < end; i++) {
				CHECK(times[i] > latest[checks[i] - 'a']);
				latest[checks[i] - 'a'] = times[i];
			}
			/* It is cut only where necessary. */
			if (end < 20)
				inverts = times[end] <= latest[checks[end] - 'a'];
			CHECK(end == 20 || inverts);
			batch_fini(&rest);
			begin = end;
		}
		batch_fini(&batch);
	}
}

static const struct check_test tests[] = {
	{"a batch ends before an event that a sort by time could move forward", cuts},
	{"a line that is no record has no time", takes_anything},
	{"repeated cuts send all events, and no piece can be reordered", pieces},
};
CHECK_MAIN(tests)
