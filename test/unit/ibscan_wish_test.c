/* Unit tests of ibscan's wish: when devices are read between two scans (spec#extra-scans). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/wish.h"

#include "check.h"
#include "num.h"

#define S NUM_NS_PER_S
#define MS NUM_NS_PER_MS

static void
repeated(void)
{
	static const uint64_t delays_ms[] = {0, 2, 10, 50};
	struct wish wish = {.stands = false};

	CHECK_U64(wish_due_ns(&wish), UINT64_MAX);
	wish_begin(&wish, 7 * S);
	for (size_t i = 0; i < CHECK_COUNT(delays_ms); i++) {
		check_row("look %zu", i);
		CHECK_U64(wish_due_ns(&wish), 7 * S + delays_ms[i] * MS);
		wish_record(&wish, WISH_NOTHING, 8 * S);
	}
	CHECK_U64(wish_due_ns(&wish), UINT64_MAX);
}

static void
ended(void)
{
	struct wish wish;
	wish_begin(&wish, S);
	wish_record(&wish, WISH_NOTHING, 8 * S);
	wish_record(&wish, WISH_NEWS, 8 * S);
	CHECK_U64(wish_due_ns(&wish), UINT64_MAX);
}

static void
begun_anew(void)
{
	struct wish wish;
	wish_begin(&wish, S);
	wish_record(&wish, WISH_NOTHING, 8 * S);
	wish_record(&wish, WISH_NOTHING, 8 * S);
	wish_begin(&wish, S + 5 * MS);
	CHECK_U64(wish_due_ns(&wish), S + 5 * MS);
	wish_record(&wish, WISH_NOTHING, 8 * S);
	CHECK_U64(wish_due_ns(&wish), S + 7 * MS);
}

static void
unanswered(void)
{
	struct wish wish;
	wish_begin(&wish, 7 * S);
	wish_record(&wish, WISH_SILENCE, 7 * S + 51 * MS);
	CHECK_U64(wish_due_ns(&wish), 7 * S + 101 * MS);
	/* Silence does not count as a read: four are left, and a late one is done at once. */
	for (int i = 0; i < 4; i++) {
		CHECK(wish_due_ns(&wish) <= 7 * S + 101 * MS);
		wish_record(&wish, WISH_NOTHING, 7 * S + 102 * MS);
	}
	CHECK_U64(wish_due_ns(&wish), UINT64_MAX);

	wish_begin(&wish, 7 * S);
	wish_record(&wish, WISH_SILENCE, 8 * S - 1);
	CHECK_U64(wish_due_ns(&wish), 8 * S - 1 + 50 * MS);
	wish_record(&wish, WISH_SILENCE, 8 * S);
	CHECK_U64(wish_due_ns(&wish), UINT64_MAX);

	/* An event restarts the reads here, too. */
	wish_begin(&wish, 7 * S);
	wish_record(&wish, WISH_SILENCE, 7 * S + 60 * MS);
	wish_begin(&wish, 7 * S + 70 * MS);
	CHECK_U64(wish_due_ns(&wish), 7 * S + 70 * MS);
}

static void
bounded(void)
{
	struct wish_looks looks = {.next = 0};
	uint64_t now_ns = 100 * S;

	CHECK_U64(wish_allowed_ns(&looks, now_ns), now_ns);
	for (unsigned i = 0; i < WISH_LOOKS_MAX; i++) {
		CHECK_U64(wish_allowed_ns(&looks, now_ns + i * MS), now_ns + i * MS);
		wish_note_reading(&looks, now_ns + i * MS);
	}
	/* A second after the first of the last ten, to the nanosecond. */
	CHECK_U64(wish_allowed_ns(&looks, now_ns + 10 * MS), now_ns + S);
	CHECK_U64(wish_allowed_ns(&looks, now_ns + S - 1), now_ns + S);
	CHECK_U64(wish_allowed_ns(&looks, now_ns + S + 1), now_ns + S + 1);
	wish_note_reading(&looks, now_ns + S);
	CHECK_U64(wish_allowed_ns(&looks, now_ns + S), now_ns + MS + S);

	/* However many are requested: a flood of events causes no flood of reads. */
	unsigned count = 0;
	looks = (struct wish_looks){.next = 0};
	for (uint64_t at_ns = 200 * S; at_ns < 210 * S; at_ns += MS) {
		if (wish_allowed_ns(&looks, at_ns) != at_ns)
			continue;
		wish_note_reading(&looks, at_ns);
		count++;
	}
	CHECK_INT(count, 100);
}

static const struct check_test tests[] = {
	{"a device is read at once, and after 2, 10 and 50 ms", repeated},
	{"a change ends the reads", ended},
	{"another event restarts the reads", begun_anew},
	{"a device that does not answer is read again for a second", unanswered},
	{"there are at most ten reads within a second", bounded},
};

CHECK_MAIN(tests)
