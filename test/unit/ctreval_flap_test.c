/* Unit tests of ctreval's flap: events for links that go down repeatedly. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/flap.h"

#include "check.h"
#include "num.h"

#define S NUM_NS_PER_S

/* A scan: its time in seconds, the port's state (A, D, or any other), and the counter (-1:
 * missing). */
struct look {
	unsigned at_s;
	char state;
	int link_downed;
};

/* Return the verdict of the last scan. */
static enum flap_verdict
look(struct flap_memory *memory, const struct look *looks, size_t count)
{
	enum flap_verdict verdict = FLAP_QUIET;
	for (size_t i = 0; i < count; i++) {
		verdict = flap_step(memory, &(struct flap_sight){
						    .at_ns = looks[i].at_s * S,
						    .active = looks[i].state == 'A',
						    .down = looks[i].state == 'D',
						    .has_link_downed = looks[i].link_downed >= 0,
						    .link_downed = (uint64_t)looks[i].link_downed,
					    });
	}
	return verdict;
}

#define LOOK(memory, ...) \
	look((memory), (const struct look[]){__VA_ARGS__}, \
		CHECK_COUNT(((const struct look[]){__VA_ARGS__})))

static void
third_within_an_hour(void)
{
	static const struct {
		unsigned third_s;
		enum flap_verdict verdict;
	} rows[] = {{30, FLAP_BEGINS}, {3610, FLAP_BEGINS}, {3611, FLAP_QUIET}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct flap_memory memory = {.flapping = false};
		check_row("third after %u s", rows[i].third_s);
		CHECK_INT(LOOK(&memory, {0, 'A', -1}, {10, 'D', -1}, {15, 'A', -1}, {20, 'D', -1},
				  {25, 'A', -1}),
			FLAP_QUIET);
		CHECK_INT(LOOK(&memory, {rows[i].third_s, 'D', -1}), rows[i].verdict);
	}
}

static void
counted_between_scans(void)
{
	/* No scan saw the port down. */
	struct flap_memory memory = {.flapping = false};
	CHECK_INT(LOOK(&memory, {0, 'A', 7}, {1, 'A', 8}, {2, 'A', 9}), FLAP_QUIET);
	CHECK_INT(LOOK(&memory, {3, 'A', 10}), FLAP_BEGINS);
	CHECK_U64(memory.count, 3);
	/* Many at once. */
	memory = (struct flap_memory){.flapping = false};
	CHECK_INT(LOOK(&memory, {0, 'A', 7}, {1, 'A', 47}), FLAP_BEGINS);
	CHECK_U64(memory.count, 40);
}

static void
seen_twice_counted_once(void)
{
	/* The state and the counter, in the same scan or one after the other. */
	static const struct look rows[][5] = {
		{{0, 'A', 0}, {1, 'D', 1}, {2, 'A', 1}, {3, 'D', 2}, {4, 'A', 2}},
		{{0, 'A', 0}, {1, 'D', 0}, {2, 'A', 1}, {3, 'D', 1}, {4, 'A', 2}},
		{{0, 'A', 0}, {1, 'A', 1}, {2, 'D', 1}, {3, 'A', 2}, {4, 'D', 2}},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct flap_memory memory = {.flapping = false};
		check_row("row %zu", i);
		CHECK_INT(look(&memory, rows[i], 5), FLAP_QUIET);
		CHECK_INT(memory.downs, 2);
	}
}

static void
counted_much_later(void)
{
	static const struct look rows[][6] = {
		{{0, 'A', 0}, {1, 'D', 0}, {2, 'D', 0}, {3, 'D', 1}, {4, 'A', 1}, {5, 'A', 1}},
		{{0, 'A', 0}, {1, 'D', 0}, {2, 'A', 0}, {3, 'A', 0}, {4, 'A', 0}, {5, 'A', 1}},
		{{0, 'A', 0}, {1, 'A', 1}, {2, 'A', 1}, {3, 'A', 1}, {4, 'D', 1}, {5, 'D', 1}},
		/* two link-downs, of which first one is counted and then the other */
		{{0, 'A', 0}, {1, 'D', 0}, {2, 'A', 0}, {3, 'D', 1}, {4, 'A', 1}, {5, 'A', 2}},
	};
	static const unsigned downs[] = {1, 1, 1, 2};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct flap_memory memory = {.flapping = false};
		check_row("row %zu", i);
		CHECK_INT(look(&memory, rows[i], 6), FLAP_QUIET);
		CHECK_INT(memory.downs, downs[i]);
		CHECK_U64(memory.count, downs[i]);
	}
	/* After an hour, a reset, or a gap without the counter it is another link-down. */
	check_row(" ");
	struct flap_memory memory = {.flapping = false};
	LOOK(&memory, {0, 'A', 0}, {10, 'D', 0}, {20, 'A', 0}, {3610, 'A', 1});
	CHECK_INT(memory.downs, 1);
	CHECK_U64(memory.downs_ns[0], 3610 * S);
	memory = (struct flap_memory){.flapping = false};
	LOOK(&memory, {0, 'A', 5}, {1, 'D', 5}, {2, 'A', 0}, {3, 'A', 1});
	CHECK_INT(memory.downs, 2);
	memory = (struct flap_memory){.flapping = false};
	LOOK(&memory, {0, 'A', -1}, {1, 'D', -1}, {2, 'A', 0}, {3, 'A', 1});
	CHECK_INT(memory.downs, 2);
}

static void
reset_counts_nothing(void)
{
	struct flap_memory memory = {.flapping = false};
	CHECK_INT(LOOK(&memory, {0, 'A', 200}, {1, 'A', 0}, {2, 'A', 0}), FLAP_QUIET);
	CHECK_INT(memory.downs, 0);
	/* Missing for a while: it continues from the last value. */
	CHECK_INT(LOOK(&memory, {3, 'A', -1}, {4, 'A', 1}), FLAP_QUIET);
	CHECK_INT(memory.downs, 1);
}

static void
life(void)
{
	struct flap_memory memory = {.flapping = false};
	CHECK_INT(LOOK(&memory, {0, 'A', 0}, {10, 'A', 3}), FLAP_BEGINS);
	/* More link-downs, but within the hour. */
	CHECK_INT(LOOK(&memory, {20, 'A', 9}, {3609, 'A', 10}), FLAP_QUIET);
	CHECK_INT(LOOK(&memory, {3610, 'A', 10}), FLAP_GOES_ON);
	CHECK_U64(memory.count, 10);
	/* No new link-down gives no event, until there was none for an hour. */
	CHECK_INT(LOOK(&memory, {7208, 'A', 10}), FLAP_QUIET);
	CHECK_INT(LOOK(&memory, {7209, 'A', 10}), FLAP_ENDS);
	CHECK(!memory.flapping);
	CHECK_INT(LOOK(&memory, {7210, 'A', 11}, {7211, 'A', 12}), FLAP_QUIET);
	CHECK_INT(LOOK(&memory, {7212, 'A', 13}), FLAP_BEGINS);
	CHECK_U64(memory.count, 3);
}

/* Only the last three decide whether three are within an hour. */
static void
last_three(void)
{
	struct flap_memory memory = {.flapping = false};
	CHECK_INT(LOOK(&memory, {0, 'A', 0}, {10, 'A', 1}, {3000, 'A', 2}, {5000, 'A', 3}),
		FLAP_QUIET);
	CHECK_INT(LOOK(&memory, {8500, 'A', 4}), FLAP_QUIET);
	CHECK_INT(LOOK(&memory, {8601, 'A', 5}), FLAP_QUIET);
	CHECK_INT(LOOK(&memory, {8700, 'A', 6}), FLAP_BEGINS);
	CHECK_U64(memory.count, 6);
	CHECK_U64(memory.downs_ns[0], 8500 * S);
	CHECK_U64(memory.downs_ns[1], 8601 * S);
	CHECK_U64(memory.downs_ns[2], 8700 * S);
}

static void
states_between(void)
{
	/* A port in training is neither up nor down; a link goes down only from ACTIVE. */
	struct flap_memory memory = {.flapping = false};
	LOOK(&memory, {0, 'D', -1}, {1, 'I', -1}, {2, 'D', -1}, {3, 'I', -1}, {4, 'D', -1});
	CHECK_INT(memory.downs, 0);
	LOOK(&memory, {5, 'A', -1}, {6, 'I', -1}, {7, 'D', -1});
	CHECK_INT(memory.downs, 1);
}

/* Nothing shows when the link-downs since an old reading happened. */
static void
counted_since_long_ago(void)
{
	static const struct {
		unsigned at_s;
		char state;
		int link_downed;
		enum flap_verdict verdict;
		unsigned downs;
	} rows[] = {
		{3600, 'A', 3, FLAP_BEGINS, 3},
		{3601, 'A', 3, FLAP_QUIET, 1},
		{200000, 'A', 1, FLAP_QUIET, 1},
		{200000, 'A', 0, FLAP_QUIET, 0},
		{200000, 'D', 0, FLAP_QUIET, 1},
		{200000, 'D', 3, FLAP_QUIET, 1},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct flap_memory memory = {.flapping = false};
		check_row("row %zu", i);
		LOOK(&memory, {0, 'A', 0});
		CHECK_INT(LOOK(&memory, {rows[i].at_s, rows[i].state, rows[i].link_downed}),
			rows[i].verdict);
		CHECK_INT(memory.downs, rows[i].downs);
	}
	check_row(" ");
	/* The port was seen all the while, and was DOWN twice at the end: the counter has these. */
	struct flap_memory memory = {.flapping = false};
	LOOK(&memory, {0, 'A', 0}, {9000, 'D', -1}, {9010, 'A', -1}, {9020, 'D', -1});
	CHECK_INT(LOOK(&memory, {9030, 'A', 2}), FLAP_QUIET);
	CHECK_INT(memory.downs, 2);
	/* What it counts later is another one. */
	CHECK_INT(LOOK(&memory, {9040, 'A', 3}), FLAP_BEGINS);
}

/* A flapping link stays so until an hour is certain to be without a link-down, and is reported
 * again by what it does from then on. */
static void
flaps_on_after_long(void)
{
	struct flap_memory memory = {.flapping = false};
	CHECK_INT(LOOK(&memory, {0, 'A', 0}, {10, 'A', 8}), FLAP_BEGINS);
	CHECK_INT(LOOK(&memory, {9000, 'A', 20}, {9010, 'A', 21}), FLAP_QUIET);
	CHECK(memory.flapping);
	CHECK_INT(LOOK(&memory, {9020, 'A', 22}), FLAP_GOES_ON);
	CHECK_U64(memory.count, 3);
	CHECK_INT(LOOK(&memory, {30000, 'A', 30}, {33599, 'A', 30}), FLAP_QUIET);
	CHECK_INT(LOOK(&memory, {33600, 'A', 30}), FLAP_ENDS);
}

static const struct check_test tests[] = {
	{"a third link-down within an hour is flapping", third_within_an_hour},
	{"of many link-downs the last three count", last_three},
	{"link-downs between two scans are found by the counter", counted_between_scans},
	{"a link-down seen as state and as count is one", seen_twice_counted_once},
	{"a link-down counted many scans after it was seen is still one", counted_much_later},
	{"a reset counter counts no link-downs", reset_counts_nothing},
	{"what the counter shows since a reading more than an hour ago is one link-down",
		counted_since_long_ago},
	{"a flapping link that was not read for long stays so for another hour",
		flaps_on_after_long},
	{"flapping is reported again after an hour with more, and ends after an hour without",
		life},
	{"a link in training has not gone down", states_between},
};

CHECK_MAIN(tests)
