/* below - cards and rates that are below their peers, and when that is an event. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "below.h"

struct step {
	enum below_memory next;
	enum below_action action;
};

/* Complete table. */
static const struct step steps[BELOW_MEMORY_N][BELOW_SIGHT_N] = {
	[BELOW_FINE] =
		{
			[BELOW_NOT_COMPARED] = {BELOW_FINE, BELOW_REPORT_NOTHING},
			[BELOW_UNDECIDED] = {BELOW_FINE, BELOW_REPORT_NOTHING},
			[BELOW_NO_LINK] = {BELOW_FINE, BELOW_REPORT_NOTHING},
			[BELOW_MEETS] = {BELOW_FINE, BELOW_REPORT_NOTHING},
			[BELOW_FIRST] = {BELOW_REPORTED, BELOW_REPORT_FAULT},
			[BELOW_YOUNG] = {BELOW_WAITING, BELOW_REPORT_NOTHING},
			[BELOW_COVERED] = {BELOW_WAITING, BELOW_REPORT_NOTHING},
			[BELOW_SETTLED] = {BELOW_REPORTED, BELOW_REPORT_FAULT},
		},
	[BELOW_WAITING] =
		{
			[BELOW_NOT_COMPARED] = {BELOW_WAITING, BELOW_REPORT_NOTHING},
			/* It may have met its peers meanwhile: restart the clock. */
			[BELOW_UNDECIDED] = {BELOW_FINE, BELOW_REPORT_NOTHING},
			/* A link that trains again may get another rate: restart the clock. */
			[BELOW_NO_LINK] = {BELOW_FINE, BELOW_REPORT_NOTHING},
			[BELOW_MEETS] = {BELOW_FINE, BELOW_REPORT_NOTHING},
			[BELOW_FIRST] = {BELOW_REPORTED, BELOW_REPORT_FAULT},
			[BELOW_YOUNG] = {BELOW_WAITING, BELOW_REPORT_NOTHING},
			[BELOW_COVERED] = {BELOW_WAITING, BELOW_REPORT_NOTHING},
			[BELOW_SETTLED] = {BELOW_REPORTED, BELOW_REPORT_FAULT},
		},
	[BELOW_REPORTED] =
		{
			[BELOW_NOT_COMPARED] = {BELOW_REPORTED, BELOW_REPORT_NOTHING},
			[BELOW_UNDECIDED] = {BELOW_REPORTED, BELOW_REPORT_NOTHING},
			[BELOW_NO_LINK] = {BELOW_REPORTED, BELOW_REPORT_NOTHING},
			[BELOW_MEETS] = {BELOW_FINE, BELOW_REPORT_HEALTHY},
			[BELOW_FIRST] = {BELOW_REPORTED, BELOW_REPORT_NOTHING},
			[BELOW_YOUNG] = {BELOW_REPORTED, BELOW_REPORT_NOTHING},
			[BELOW_COVERED] = {BELOW_REPORTED, BELOW_REPORT_NOTHING},
			[BELOW_SETTLED] = {BELOW_REPORTED, BELOW_REPORT_NOTHING},
		},
};

enum below_action
below_step(enum below_memory *memory, enum below_sight sight)
{
	struct step step = steps[*memory][sight];
	*memory = step.next;
	return step.action;
}

enum below_sight
below_look(const struct evaluation *evaluation, const struct below *below)
{
	uint64_t now_ns = evaluation->scan->begin.boottime_ns;

	if (evaluation->first)
		return BELOW_FIRST;
	uint64_t below_ns = below->memory != BELOW_FINE && now_ns > below->since_ns
				    ? now_ns - below->since_ns
				    : 0;
	return below_ns < evaluation->setting->settle_ns ? BELOW_YOUNG : BELOW_SETTLED;
}

enum below_action
below_eval(struct evaluation *evaluation, struct below *below, enum below_sight sight)
{
	uint64_t now_ns = evaluation->scan->begin.boottime_ns;
	enum below_memory before = below->memory;
	enum below_action action = below_step(&below->memory, sight);

	/* Boot time can go backwards in a hand-made capture. */
	if ((before == BELOW_FINE && below->memory != BELOW_FINE) || below->since_ns > now_ns)
		below->since_ns = now_ns;
	if (below->memory != before)
		evaluation->state->changed = true;
	return action;
}
