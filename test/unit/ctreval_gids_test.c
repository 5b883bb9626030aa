/* Unit tests of ctreval's gids: events for a port whose last RoCE v2 GID is gone
 * (spec#roce-gids). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/gids.h"

#include "check.h"
#include "num.h"

#define S NUM_NS_PER_S

static void
lost(void)
{
	struct gids_memory memory = {0};
	CHECK(!gids_step(&memory, 2, 100 * S));
	CHECK(!gids_step(&memory, 0, 160 * S));
	/* To the nanosecond, and only once. */
	CHECK(!gids_step(&memory, 0, 250 * S - 1));
	CHECK(gids_step(&memory, 0, 250 * S));
	CHECK(!gids_step(&memory, 0, 251 * S));
	CHECK(!gids_step(&memory, 0, 9999 * S));
	/* Due again if there was a GID in between. */
	CHECK(!gids_step(&memory, 1, 10000 * S));
	CHECK(!gids_step(&memory, 0, 10060 * S));
	CHECK(gids_step(&memory, 0, 10150 * S));
}

static void
never_had(void)
{
	struct gids_memory memory = {0};
	for (uint64_t at = 1; at < 1000; at += 60)
		CHECK(!gids_step(&memory, 0, at * S));
}

static void
interrupted(void)
{
	static const int64_t counts[] = {1, -1};
	for (size_t i = 0; i < CHECK_COUNT(counts); i++) {
		struct gids_memory memory = {0};
		check_row("%d in between", (int)counts[i]);
		CHECK(!gids_step(&memory, 1, 10 * S));
		CHECK(!gids_step(&memory, 0, 60 * S));
		CHECK(!gids_step(&memory, counts[i], 120 * S));
		/* The time counts from here, whatever came before. */
		CHECK(!gids_step(&memory, 0, 180 * S));
		CHECK(!gids_step(&memory, 0, 270 * S - 1));
		CHECK(gids_step(&memory, 0, 270 * S));
	}
}

static const struct check_test tests[] = {
	{"a last GID gone for 90 s is due once, until there is a GID again", lost},
	{"a port that never had a GID is not missing one", never_had},
	{"a GID in between, or a port that is not up, restarts the time", interrupted},
};
CHECK_MAIN(tests)
