/* Unit tests of ctreval's unreachable: when unreachable peers point to one device
 * (spec#unreachable-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/unreachable.h"

#include "check.h"
#include "num.h"

#define S NUM_NS_PER_S

static void
enough_peers(void)
{
	struct unreachable_memory memory = {0};
	unreachable_note(&memory, 1, 100 * S);
	unreachable_note(&memory, 2, 101 * S);
	CHECK_INT(unreachable_step(&memory, 0, 162 * S), 0);
	unreachable_note(&memory, 3, 170 * S);
	unreachable_note(&memory, 5, 171 * S);
	unreachable_note(&memory, 4, 180 * S);
	/* A minute after the third, to the nanosecond: the highest number of peers, once. */
	CHECK_INT(unreachable_step(&memory, 0, 230 * S - 1), 0);
	CHECK_INT(unreachable_step(&memory, 0, 230 * S), 5);
	CHECK_INT(unreachable_step(&memory, 0, 231 * S), 0);
	/* A later failure waits for a minute again. */
	unreachable_note(&memory, 3, 240 * S);
	CHECK_INT(unreachable_step(&memory, 0, 299 * S), 0);
	CHECK_INT(unreachable_step(&memory, 0, 300 * S), 3);
}

static void
others_fail(void)
{
	static const struct {
		uint64_t others_s;
		int64_t peers;
	} rows[] = {
		{0, 3},                       /* never */
		{140, 3},                     /* a minute before */
		{141, 0}, {200, 0}, {259, 0}, /* during the wait */
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct unreachable_memory memory = {0};
		check_row("others at %u s", (unsigned)rows[i].others_s);
		unreachable_note(&memory, 3, 200 * S);
		CHECK_INT(unreachable_step(&memory, rows[i].others_s * S, 260 * S), rows[i].peers);
		/* It is over in any case. */
		CHECK_INT(unreachable_step(&memory, 0, 261 * S), 0);
	}
}

static const struct check_test tests[] = {
	{"three unreachable peers are due a minute later, once", enough_peers},
	{"failures through other devices at the same time rule out this one", others_fail},
};

CHECK_MAIN(tests)
