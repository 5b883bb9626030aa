/* Unit tests of ctreval's rate: when a port that is slower than its peers is an event. */
#include "../../tools/ctreval/rate.h"

#include "check.h"

#define FINE RATE_FINE, RATE_SAY_NOTHING
#define WAITING RATE_WAITING, RATE_SAY_NOTHING
#define STANDS RATE_SLOW, RATE_SAY_NOTHING
#define REPORT RATE_SLOW, RATE_SAY_SLOW
#define RECOVER RATE_FINE, RATE_SAY_HEALTHY

static const struct cell {
	enum rate_memory memory;
	enum rate_sight sight;
	enum rate_memory next;
	enum rate_action action;
} cells[] = {
	{RATE_FINE, RATE_NOT_JUDGED, FINE},
	{RATE_FINE, RATE_LINK_DOWN, FINE},
	{RATE_FINE, RATE_MEETS, FINE},
	{RATE_FINE, RATE_BELOW_FIRST, REPORT},
	{RATE_FINE, RATE_BELOW_YOUNG, WAITING},
	/* With settleSeconds 0. */
	{RATE_FINE, RATE_BELOW, REPORT},
	/* No verdict is no evidence, in either direction; a link that was down has trained anew. */
	{RATE_WAITING, RATE_NOT_JUDGED, WAITING},
	{RATE_WAITING, RATE_LINK_DOWN, FINE},
	{RATE_WAITING, RATE_MEETS, FINE},
	{RATE_WAITING, RATE_BELOW_FIRST, REPORT},
	{RATE_WAITING, RATE_BELOW_YOUNG, WAITING},
	{RATE_WAITING, RATE_BELOW, REPORT},
	/* Reported once, and stands until it is judged and not below its peers. */
	{RATE_SLOW, RATE_NOT_JUDGED, STANDS},
	{RATE_SLOW, RATE_LINK_DOWN, STANDS},
	{RATE_SLOW, RATE_MEETS, RECOVER},
	{RATE_SLOW, RATE_BELOW_FIRST, STANDS},
	{RATE_SLOW, RATE_BELOW_YOUNG, STANDS},
	{RATE_SLOW, RATE_BELOW, STANDS},
};

static void
steps(void)
{
	unsigned visited[RATE_MEMORY_N][RATE_SIGHT_N] = {0};
	for (size_t i = 0; i < CHECK_COUNT(cells); i++) {
		enum rate_memory memory = cells[i].memory;
		check_row("memory %d, sight %d", (int)cells[i].memory, (int)cells[i].sight);
		CHECK_INT(rate_step(&memory, cells[i].sight), cells[i].action);
		CHECK_INT(memory, cells[i].next);
		visited[cells[i].memory][cells[i].sight]++;
	}
	for (int m = 0; m < RATE_MEMORY_N; m++) {
		for (int s = 0; s < RATE_SIGHT_N; s++) {
			check_row("memory %d, sight %d", m, s);
			CHECK_INT(visited[m][s], 1);
		}
	}
}

static void
alternates(void)
{
	/* Whatever comes: never two reports, nor two recoveries, without the other between. */
	for (unsigned code = 0; code < 7776; code++) {
		enum rate_memory memory = RATE_FINE;
		bool reported = false;
		for (unsigned i = 0, rest = code; i < 5; i++, rest /= RATE_SIGHT_N) {
			enum rate_action action = rate_step(&memory, rest % RATE_SIGHT_N);
			check_row("series %u, scan %u", code, i);
			if (action == RATE_SAY_SLOW && !CHECK(!reported))
				return;
			if (action == RATE_SAY_HEALTHY && !CHECK(reported))
				return;
			if (action != RATE_SAY_NOTHING)
				reported = action == RATE_SAY_SLOW;
			if (!CHECK_INT(memory == RATE_SLOW, reported))
				return;
		}
	}
}

static const struct check_test tests[] = {
	{"every step of the table is as it should be", steps},
	{"reports and recoveries of a port's rate take turns", alternates},
};
CHECK_MAIN(tests)
