/* Unit tests of ctreval's pollstall: events when NICs cannot be observed (spec#poll-stall). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/pollstall.h"

#include "check.h"
#include "num.h"

#define DEADLINE_NS (10 * NUM_NS_PER_S)

#define QUIET POLLSTALL_REPORT_NOTHING
#define STALL POLLSTALL_REPORT_STALL
#define HEALTHY POLLSTALL_REPORT_HEALTHY

struct row {
	bool reported, owed;
	uint64_t state_ms, counter_ms;
	bool completed;
	uint64_t deadline_ns;
	enum pollstall_action action;
	bool reported_then, owed_then;
};

static const struct row rows[] = {
	/* No stall; an owed healthy event is reported once. */
	{false, false, 0, 0, true, DEADLINE_NS, QUIET, false, false},
	{false, true, 0, 0, true, DEADLINE_NS, HEALTHY, false, false},
	{false, true, 0, 0, false, DEADLINE_NS, QUIET, false, true},
	/* Just before the deadline, and at it. */
	{false, false, 9999, 0, false, DEADLINE_NS, QUIET, false, false},
	{false, false, 10000, 0, false, DEADLINE_NS, STALL, true, false},
	{false, false, 0, 9999, false, DEADLINE_NS, QUIET, false, false},
	{false, false, 0, 10000, false, DEADLINE_NS, STALL, true, false},
	{false, true, 10000, 0, false, DEADLINE_NS, STALL, true, true},
	/* One event, whichever category stalls, until a scan completes. */
	{true, false, 11000, 0, false, DEADLINE_NS, QUIET, true, false},
	{true, false, 0, 11000, false, DEADLINE_NS, QUIET, true, false},
	{true, false, 500, 0, false, DEADLINE_NS, QUIET, true, false},
	{true, false, 0, 0, false, DEADLINE_NS, QUIET, true, false},
	{true, false, 0, 0, true, DEADLINE_NS, HEALTHY, false, false},
	{true, true, 0, 0, true, DEADLINE_NS, HEALTHY, false, false},
	/* Switched off: a standing report is taken back all the same. */
	{false, false, 99000, 0, false, 0, QUIET, false, false},
	{false, true, 0, 0, true, 0, QUIET, false, false},
	{true, false, 0, 0, true, 0, HEALTHY, false, false},
};

static void
steps(void)
{
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct pollstall_memory memory = {row->reported, row->owed};
		const struct pollstall_sight sight = {
			row->state_ms, row->counter_ms, row->completed};
		check_row("row %zu", i);
		CHECK_INT(pollstall_step(&memory, &sight, row->deadline_ns), row->action);
		CHECK_INT(memory.reported, row->reported_then);
		CHECK_INT(memory.owed, row->owed_then);
	}
}

static const struct check_test tests[] = {
	{"a stall is reported once, at its deadline, and taken back by a completed scan", steps},
};

CHECK_MAIN(tests)
