/* Unit tests of ctreval's hold: holding back a port that goes down (spec#hold-down). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/hold.h"

#include "check.h"
#include "num.h"

#define S NUM_NS_PER_S
#define HOLD_NS (10 * S)

struct row {
	bool held;
	uint64_t since_ns, now_ns, hold_ns;
	enum port_sight sight;
	enum hold_verdict verdict;
	bool held_then;
	uint64_t since_then_ns;
};

static const struct row rows[] = {
	/* Nothing is held: only a sight that would be an event begins a hold. */
	{false, 0, 5 * S, HOLD_NS, SIGHT_HEALTHY, HOLD_NONE, false, 0},
	{false, 0, 5 * S, HOLD_NS, SIGHT_TRANSIENT, HOLD_NONE, false, 0},
	{false, 0, 5 * S, HOLD_NS, SIGHT_DEGRADED, HOLD_KEEPS, true, 5 * S},
	{false, 0, 5 * S, HOLD_NS, SIGHT_FATAL, HOLD_KEEPS, true, 5 * S},
	/* Just before the end of the hold, and at it. */
	{true, 5 * S, 15 * S - 1, HOLD_NS, SIGHT_FATAL, HOLD_KEEPS, true, 5 * S},
	{true, 5 * S, 15 * S, HOLD_NS, SIGHT_FATAL, HOLD_DUE, true, 5 * S},
	{true, 5 * S, 15 * S - 1, HOLD_NS, SIGHT_DEGRADED, HOLD_KEEPS, true, 5 * S},
	{true, 5 * S, 15 * S, HOLD_NS, SIGHT_DEGRADED, HOLD_DUE, true, 5 * S},
	/* It ends as soon as the port is healthy. A transient state does not end it. */
	{true, 5 * S, 6 * S, HOLD_NS, SIGHT_HEALTHY, HOLD_ENDS, true, 5 * S},
	{true, 5 * S, 99 * S, HOLD_NS, SIGHT_HEALTHY, HOLD_ENDS, true, 5 * S},
	{true, 5 * S, 99 * S, HOLD_NS, SIGHT_TRANSIENT, HOLD_KEEPS, true, 5 * S},
	/* From the boot on; a clock that ran back restarts it. */
	{true, 0, 10 * S - 1, HOLD_NS, SIGHT_FATAL, HOLD_KEEPS, true, 0},
	{true, 0, 10 * S, HOLD_NS, SIGHT_FATAL, HOLD_DUE, true, 0},
	{true, 9 * S, 8 * S, HOLD_NS, SIGHT_FATAL, HOLD_KEEPS, true, 8 * S},
	/* Switched off, also by a restart. */
	{false, 0, 5 * S, 0, SIGHT_FATAL, HOLD_NONE, false, 0},
	{true, 5 * S, 5 * S, 0, SIGHT_FATAL, HOLD_DUE, true, 5 * S},
	{true, 5 * S, 6 * S, 0, SIGHT_HEALTHY, HOLD_ENDS, true, 5 * S},
};

static void
steps(void)
{
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct hold_memory memory = {row->held, row->since_ns};
		check_row("row %zu", i);
		CHECK_INT(hold_step(&memory, row->sight, row->now_ns, row->hold_ns), row->verdict);
		CHECK_INT(memory.held, row->held_then);
		CHECK_U64(memory.since_ns, row->since_then_ns);
	}
}

/* Also in a hand-made capture whose time goes backwards. */
static void
lasts(void)
{
	const struct port_entry entry = {.hold = {.held = true, .since_ns = 5 * S}};
	const struct scan_port later = {.record.boottime_ns = 8 * S};
	const struct scan_port earlier = {.record.boottime_ns = 4 * S};

	CHECK_U64(hold_duration_ns(&later, &entry), 3 * S);
	CHECK_U64(hold_duration_ns(&earlier, &entry), 0);
	CHECK_U64(hold_duration_ns(&later, &(struct port_entry){.known = true}), 0);
}

static const struct check_test tests[] = {
	{"a hold begins, lasts, is due exactly at its end, or ends when the port is healthy",
		steps},
	{"a hold has lasted since it began, and none has not lasted", lasts},
};

CHECK_MAIN(tests)
