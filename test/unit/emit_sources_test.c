/* Unit tests of emit's sources: the seq up to which each writer's stream has arrived.
 * emit_journalmodel_test tests them with writers that die. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/in/sources.h"

#include "check.h"

#include <stdio.h>

#define T ARRIVAL_ACCEPT
#define K ARRIVAL_KNOWN
#define H ARRIVAL_HOLD

/* A step of stream "s". An event arrives (`e`), or arrives again while it is held back (`a`); a
 * held event is looked up (`f`), or given up (`g`); no event is held back any longer (`.`); a line
 * is lost (`?`). `bound` is the seq that may be acknowledged then. */
struct step {
	char what;
	uint64_t seq;
	enum arrival judgement;
	uint64_t bound;
};

#define STEPS 12

struct story {
	const char *name;
	uint64_t stored; /* in the spool */
	struct step steps[STEPS];
};

static void
tell(const struct story *story, bool acknowledges)
{
	struct sources sources = {.acknowledges = acknowledges};
	CHECK_INT(sources_restore(&sources, "s", story->stored, 1), 0);
	for (size_t i = 0; i < STEPS && story->steps[i].what != '\0'; i++) {
		const struct step *step = &story->steps[i];
		enum arrival judgement = step->judgement;
		check_row("%s: step %zu", story->name, i + 1);
		switch (step->what) {
		case 'e':
		case 'a':
			CHECK_INT(sources_arrive(&sources, "s", step->seq, step->what == 'a', 1,
					  &judgement),
				0);
			break;
		case 'f':
			judgement = sources_follow(&sources, "s", step->seq);
			break;
		case 'g':
			sources_give_up(&sources, "s", step->seq);
			break;
		case '.':
			sources_settle(&sources, "s");
			break;
		case '?':
			sources_doubt(&sources);
			break;
		}
		CHECK_INT(judgement, step->judgement);
		CHECK_U64(source_bound(&sources.items[0]), step->bound);
	}
	sources_fini(&sources);
}

static void
with_acks(void)
{
	static const struct story rows[] = {
		{"a stream from its beginning", 0,
			{{'e', 1, T, 1}, {'e', 2, T, 2}, {'e', 3, T, 3}}},
		{"goes on behind what is stored", 7, {{'e', 8, T, 8}, {'e', 9, T, 9}}},
		{"the writer has started again", 2,
			{{'e', 3, T, 3}, {'e', 2, K, 3}, {'e', 3, K, 3}, {'e', 4, T, 4}}},
		{"a crash after reading 3", 2,
			{{'e', 4, H, 2}, {'e', 5, H, 2}, {'e', 3, T, 3}, {'f', 4, T, 4},
				{'f', 5, T, 5}, {'e', 4, K, 5}, {'e', 5, K, 5}, {'e', 6, T, 6}}},
		{"the line of 3 was damaged", 1,
			{{'e', 2, T, 2}, {'?', 0, T, 2}, {'e', 4, H, 2}, {'e', 3, T, 3},
				{'f', 4, T, 4}, {'e', 4, K, 4}, {'e', 5, T, 5}}},
		{"a damaged line was none of this stream", 1,
			{{'e', 2, T, 2}, {'?', 0, T, 2}, {'e', 3, T, 3}, {'e', 5, T, 5}}},
		{"a filter has left out 3", 0, {{'e', 1, T, 1}, {'e', 2, T, 2}, {'e', 4, T, 4}}},
		{"a filter has left out 3, and we have just started", 2,
			{{'e', 4, H, 2}, {'a', 4, T, 4}, {'e', 6, T, 6}}},
		{"the first that comes is not 1", 0, {{'e', 5, H, 0}, {'a', 5, T, 5}}},
		{"of two that are held back the second comes again", 2,
			{{'e', 4, H, 2}, {'e', 6, H, 2}, {'a', 6, T, 6}, {'f', 4, K, 6}}},
		{"given up, and then in order after all", 2,
			{{'e', 5, H, 2}, {'g', 5, T, 2}, {'.', 0, T, 2}, {'e', 6, T, 2},
				{'e', 3, T, 3}, {'e', 4, T, 6}, {'e', 5, K, 6}, {'e', 7, T, 7}}},
		{"given up, and only the second comes", 2,
			{{'e', 5, H, 2}, {'g', 5, T, 2}, {'.', 0, T, 2}, {'e', 4, T, 5},
				{'e', 5, K, 5}}},
		{"given up, and never comes", 2,
			{{'e', 5, H, 2}, {'g', 5, T, 2}, {'.', 0, T, 2}, {'e', 6, T, 2},
				{'e', 5, K, 6}, {'e', 6, K, 6}}},
		{"given up, comes late, and is damaged then", 2,
			{{'e', 5, H, 2}, {'g', 5, T, 2}, {'.', 0, T, 2}, {'?', 0, T, 2},
				{'e', 4, T, 2}, {'e', 5, K, 2}, {'e', 6, T, 2}, {'e', 3, T, 3},
				{'e', 4, T, 6}}},
		{"given up behind a filter: the writer passes over it", 2,
			{{'e', 5, H, 2}, {'g', 5, T, 2}, {'f', 6, T, 2}, {'e', 5, K, 6}}},
		{"given up twice", 2,
			{{'e', 4, H, 2}, {'e', 7, H, 2}, {'g', 4, T, 2}, {'f', 7, H, 2},
				{'g', 7, T, 2}, {'.', 0, T, 2}, {'e', 3, T, 3}, {'e', 4, T, 4},
				{'e', 5, T, 5}, {'e', 6, T, 7}}},
		{"what was lost behind one that is given up is not passed over", 2,
			{{'e', 5, H, 2}, {'?', 0, T, 2}, {'g', 5, T, 2}, {'.', 0, T, 2},
				{'e', 7, H, 2}}},
		{"nothing is missing before one that is given up", 4,
			{{'g', 5, T, 5}, {'e', 6, T, 6}}},
		{"one that is known is not given up", 4, {{'g', 3, T, 4}, {'e', 5, T, 5}}},
		{"the highest number", INT64_MAX - 1, {{'e', INT64_MAX, T, INT64_MAX}}},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++)
		tell(&rows[i], true);
}

static void
without_acks(void)
{
	static const struct story rows[] = {
		{"in order", 0, {{'e', 1, T, 1}, {'e', 2, T, 2}, {'e', 1, K, 2}}},
		{"not from the beginning", 0, {{'e', 5, T, 0}, {'e', 6, T, 0}, {'e', 5, T, 0}}},
		{"out of order", 0,
			{{'e', 2, T, 0}, {'e', 1, T, 1}, {'e', 3, T, 1}, {'e', 2, T, 2}}},
		{"after a damaged line", 2, {{'e', 3, T, 3}, {'?', 0, T, 3}, {'e', 5, T, 3}}},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++)
		tell(&rows[i], false);
}

/* Return the acknowledged seq of a stream, -1 if unknown. */
static int64_t
acknowledged(const struct sources *sources, const char *name)
{
	json_t *acks = sources_acks_new(sources);
	const json_t *seq = json_object_get(acks, name);
	int64_t value = seq != NULL ? json_integer_value(seq) : -1;
	json_decref(acks);
	return value;
}

static void
acknowledges_what_is_stored(void)
{
	struct sources sources = {.acknowledges = true};
	enum arrival arrival;
	json_t *none = sources_acks_new(&sources);
	CHECK(json_is_object(none) && json_object_size(none) == 0);
	json_decref(none);
	for (uint64_t seq = 1; seq <= 3; seq++)
		CHECK_INT(sources_arrive(&sources, "s", seq, false, 1, &arrival), 0);
	CHECK_INT(acknowledged(&sources, "s"), 0);
	sources_kept(&sources);
	CHECK_INT(acknowledged(&sources, "s"), 3);
	sources_doubt(&sources);
	CHECK_INT(sources_arrive(&sources, "s", 6, false, 1, &arrival), 0);
	sources_give_up(&sources, "s", 6);
	sources_kept(&sources);
	CHECK_INT(acknowledged(&sources, "s"), 3);
	CHECK_INT(acknowledged(&sources, "t"), -1);
	sources_fini(&sources);
}

static void
restores(void)
{
	struct sources sources = {.acknowledges = true};
	enum arrival arrival;
	CHECK_INT(sources_restore(&sources, "s", 5, 10), 0);
	CHECK_INT(sources_restore(&sources, "s", 3, 20), 0);
	CHECK_INT(acknowledged(&sources, "s"), 5);
	CHECK_U64(sources.items[0].changed_ns, 20);
	CHECK_INT(sources_restore(&sources, "s", 9, 15), 0);
	CHECK_INT(acknowledged(&sources, "s"), 9);
	CHECK_U64(sources.items[0].changed_ns, 20);
	CHECK_U64(sources.count, 1);

	/* A spool that is opened late has the events that were missing. */
	CHECK_INT(sources_arrive(&sources, "s", 14, false, 1, &arrival), 0);
	sources_give_up(&sources, "s", 14);
	CHECK_INT(sources_restore(&sources, "s", 11, 15), 0);
	CHECK_U64(source_bound(&sources.items[0]), 11);
	CHECK_INT(sources_restore(&sources, "s", 13, 15), 0);
	CHECK_U64(source_bound(&sources.items[0]), 14);
	sources_fini(&sources);
}

static void
streams_are_apart(void)
{
	struct sources sources = {.acknowledges = true};
	enum arrival arrival;
	for (uint64_t seq = 1; seq <= 3; seq++) {
		CHECK_INT(sources_arrive(&sources, "a", seq, false, 1, &arrival), 0);
		CHECK_INT(arrival, ARRIVAL_ACCEPT);
		CHECK_INT(sources_arrive(&sources, "b", seq, false, 1, &arrival), 0);
		CHECK_INT(arrival, ARRIVAL_ACCEPT);
	}
	CHECK_INT(sources_arrive(&sources, "A", 3, false, 1, &arrival), 0);
	CHECK_INT(arrival, ARRIVAL_HOLD);
	CHECK_INT(sources_follow(&sources, "b", 4), ARRIVAL_ACCEPT);
	CHECK_INT(sources_follow(&sources, "nobody", 4), ARRIVAL_ACCEPT);
	sources_give_up(&sources, "nobody", 4);
	sources_settle(&sources, "nobody");
	sources_kept(&sources);
	CHECK_INT(acknowledged(&sources, "a"), 3);
	CHECK_INT(acknowledged(&sources, "b"), 4);
	CHECK_INT(acknowledged(&sources, "A"), 0);
	sources_fini(&sources);
	CHECK(sources.items == NULL && sources.count == 0);
}

static void
forgets(void)
{
	struct sources sources = {.acknowledges = true};
	char name[20];
	enum arrival arrival;
	for (unsigned i = 0; i < SOURCES_MAX; i++) {
		snprintf(name, sizeof name, "s%u", i);
		CHECK_INT(sources_restore(&sources, name, 1, 1000 + i), 0);
	}
	/* The first stream has been active since, so that the second has been silent longest. */
	CHECK_INT(sources_arrive(&sources, "s0", 2, false, 5000, &arrival), 0);
	CHECK_INT(sources_arrive(&sources, "new", 1, false, 6000, &arrival), 0);
	sources_kept(&sources);
	CHECK_U64(sources.count, SOURCES_MAX);
	CHECK_INT(acknowledged(&sources, "s0"), 2);
	CHECK_INT(acknowledged(&sources, "s1"), -1);
	CHECK_INT(acknowledged(&sources, "s2"), 1);
	CHECK_INT(acknowledged(&sources, "s1023"), 1);
	CHECK_INT(acknowledged(&sources, "new"), 1);
	/* A forgotten stream starts like an unknown one. */
	CHECK_INT(sources_arrive(&sources, "s1", 2, false, 7000, &arrival), 0);
	CHECK_INT(arrival, ARRIVAL_HOLD);
	CHECK_U64(sources.count, SOURCES_MAX);
	sources_fini(&sources);
}

static void
marks(void)
{
	static const struct {
		uint64_t after, seq, bound;
	} rows[] = {
		/* The stream is still unknown. */
		{7, 9, 9},
		{9, 12, 12},
		/* Its writer has restarted. */
		{8, 8, 12},
		{8, 13, 13},
		/* The numbers in between were lost on the way, and will come again. */
		{14, 20, 13},
		{13, 21, 21},
	};
	struct sources sources = {.acknowledges = true};
	CHECK(!sources_have_marks(&sources));
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct mark mark = {"s", rows[i].after, rows[i].seq};
		check_row("after %d, up to %d", (int)mark.after, (int)mark.seq);
		CHECK_INT(sources_mark(&sources, &mark, 1), 0);
		CHECK(sources.by_marks);
		CHECK_U64(source_bound(&sources.items[0]), rows[i].bound);
		CHECK_INT(sources_have_marks(&sources), sources.items[0].stored < rows[i].bound);
		sources_kept(&sources);
		CHECK(!sources_have_marks(&sources));
	}
	sources_fini(&sources);
}

/* A stream was acknowledged up to 20, and the spool has lost all behind 10. */
static void
marks_of_what_is_lost(void)
{
	struct sources sources = {.acknowledges = true};
	struct sources_lost lost = {0};
	CHECK_INT(sources_mark(&sources, &(struct mark){"s", 0, 20}, 1), 0);
	sources_kept(&sources);
	sources_acked(&sources);
	sources.items[0].stored = 10;
	source_compare(&sources.items[0], 10, false, &lost);
	CHECK_U64(lost.asked, 10);
	CHECK_U64(source_bound(&sources.items[0]), 10);
	/* It was on its way. */
	CHECK_INT(sources_mark(&sources, &(struct mark){"s", 20, 25}, 1), 0);
	CHECK_U64(source_bound(&sources.items[0]), 10);
	CHECK_INT(sources_mark(&sources, &(struct mark){"s", 10, 15}, 1), 0);
	CHECK_U64(source_bound(&sources.items[0]), 15);
	CHECK_INT(sources_mark(&sources, &(struct mark){"s", 15, 30}, 1), 0);
	CHECK_U64(source_bound(&sources.items[0]), 30);
	sources_fini(&sources);
}

static void
notes_what_is_kept(void)
{
	struct sources sources = {.acknowledges = true}, copy;
	CHECK_INT(sources_mark(&sources, &(struct mark){"s", 0, 5}, 1), 0);
	CHECK_INT(sources_copy_unkept(&sources, &copy), 0);
	/* While the spool stores the copy. */
	CHECK_INT(sources_mark(&sources, &(struct mark){"s", 5, 7}, 1), 0);
	sources_note_kept(&sources, &copy);
	CHECK_U64(sources.items[0].stored, 5);
	CHECK(sources_have_marks(&sources));
	sources_fini(&copy);
	sources_fini(&sources);
}

/* While events are counted by marks, too. */
static void
numbers_its_own(void)
{
	struct sources sources = {.acknowledges = true};
	uint64_t seq;
	CHECK_INT(sources_mark(&sources, &(struct mark){"m", 0, 5}, 1), 0);
	CHECK_INT(sources_number(&sources, "s", 1, 2, &seq), 0);
	CHECK_U64(seq, 1);
	CHECK_INT(sources_number(&sources, "s", 1, 2, &seq), 0);
	CHECK_U64(seq, 2);
	/* The spool has more of them, up to 6. */
	CHECK_INT(sources_number(&sources, "s", 7, 3, &seq), 0);
	CHECK_U64(seq, 7);
	CHECK_U64(source_bound(sources_find(&sources, "s")), 7);
	CHECK_U64(sources_find(&sources, "s")->changed_ns, 3);
	sources_fini(&sources);
}

static const struct check_test tests[] = {
	{"the reasons for a gap in the numbers are told apart", with_acks},
	{"without acknowledgements no event is held back", without_acks},
	{"only stored events without a gap before them are acknowledged",
		acknowledges_what_is_stored},
	{"the higher number is restored", restores},
	{"streams are independent of each other", streams_are_apart},
	{"the stream that has been silent longest is evicted", forgets},
	{"a mark counts if nothing is missing before it", marks},
	{"a mark behind lost events does not count", marks_of_what_is_lost},
	{"the spool stores the copy that it was given", notes_what_is_kept},
	{"a stream of emit's own has no number twice", numbers_its_own},
};
CHECK_MAIN(tests)
