/* below_cells - the state machine of "below its peers", cell by cell. Cards and ports use the same
 * machine, so both tests include these cells. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_BELOW_CELLS_H
#define TEST_BELOW_CELLS_H

#include "../../tools/ctreval/check/below.h"

#include "check.h"

#include <stdbool.h>
#include <stddef.h>

#define FINE BELOW_FINE, BELOW_REPORT_NOTHING
#define WAITING BELOW_WAITING, BELOW_REPORT_NOTHING
#define STANDS BELOW_REPORTED, BELOW_REPORT_NOTHING
#define REPORT BELOW_REPORTED, BELOW_REPORT_FAULT
#define RECOVER BELOW_FINE, BELOW_REPORT_HEALTHY

static const struct cell {
	enum below_memory memory;
	enum below_sight sight;
	enum below_memory next;
	enum below_action action;
} cells[] = {
	{BELOW_FINE, BELOW_NOT_COMPARED, FINE},
	{BELOW_FINE, BELOW_UNDECIDED, FINE},
	{BELOW_FINE, BELOW_NO_LINK, FINE},
	{BELOW_FINE, BELOW_MEETS, FINE},
	{BELOW_FINE, BELOW_FIRST, REPORT},
	{BELOW_FINE, BELOW_YOUNG, WAITING},
	{BELOW_FINE, BELOW_COVERED, WAITING},
	/* With settleSeconds 0. */
	{BELOW_FINE, BELOW_SETTLED, REPORT},
	/* An incomplete scan changes nothing. Without a verdict it is not known to be below its
	 * peers still, and a link that went down has trained anew. */
	{BELOW_WAITING, BELOW_NOT_COMPARED, WAITING},
	{BELOW_WAITING, BELOW_UNDECIDED, FINE},
	{BELOW_WAITING, BELOW_NO_LINK, FINE},
	{BELOW_WAITING, BELOW_MEETS, FINE},
	{BELOW_WAITING, BELOW_FIRST, REPORT},
	{BELOW_WAITING, BELOW_YOUNG, WAITING},
	{BELOW_WAITING, BELOW_COVERED, WAITING},
	{BELOW_WAITING, BELOW_SETTLED, REPORT},
	/* Reported once; stands until a comparison finds it no longer below its peers. */
	{BELOW_REPORTED, BELOW_NOT_COMPARED, STANDS},
	{BELOW_REPORTED, BELOW_UNDECIDED, STANDS},
	{BELOW_REPORTED, BELOW_NO_LINK, STANDS},
	{BELOW_REPORTED, BELOW_MEETS, RECOVER},
	{BELOW_REPORTED, BELOW_FIRST, STANDS},
	{BELOW_REPORTED, BELOW_YOUNG, STANDS},
	{BELOW_REPORTED, BELOW_COVERED, STANDS},
	{BELOW_REPORTED, BELOW_SETTLED, STANDS},
};

static void
steps(void)
{
	unsigned visited[BELOW_MEMORY_N][BELOW_SIGHT_N] = {0};
	for (size_t i = 0; i < CHECK_COUNT(cells); i++) {
		enum below_memory memory = cells[i].memory;
		check_row("memory %d, sight %d", (int)cells[i].memory, (int)cells[i].sight);
		CHECK_INT(below_step(&memory, cells[i].sight), cells[i].action);
		CHECK_INT(memory, cells[i].next);
		visited[cells[i].memory][cells[i].sight]++;
	}
	for (int m = 0; m < BELOW_MEMORY_N; m++) {
		for (int s = 0; s < BELOW_SIGHT_N; s++) {
			check_row("memory %d, sight %d", m, s);
			CHECK_INT(visited[m][s], 1);
		}
	}
}

static void
alternates(void)
{
	/* No sequence gives two faults, or two recoveries, without the other in between. */
	for (unsigned code = 0; code < 32768; code++) {
		enum below_memory memory = BELOW_FINE;
		bool reported = false;
		for (unsigned i = 0, rest = code; i < 5; i++, rest /= BELOW_SIGHT_N) {
			enum below_action action = below_step(&memory, rest % BELOW_SIGHT_N);
			check_row("series %u, scan %u", code, i);
			if (action == BELOW_REPORT_FAULT && !CHECK(!reported))
				return;
			if (action == BELOW_REPORT_HEALTHY && !CHECK(reported))
				return;
			if (action != BELOW_REPORT_NOTHING)
				reported = action == BELOW_REPORT_FAULT;
			if (!CHECK_INT(memory == BELOW_REPORTED, reported))
				return;
		}
	}
}

#endif
