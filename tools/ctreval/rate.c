/* rate - when a port that is slower than its peers is an event, as a pure function and one table. */
#include "rate.h"

struct step {
	enum rate_memory next;
	enum rate_action action;
};

/* Every cell is filled. */
static const struct step table[RATE_MEMORY_N][RATE_SIGHT_N] = {
	[RATE_FINE] =
		{
			[RATE_NOT_JUDGED] = {RATE_FINE, RATE_SAY_NOTHING},
			[RATE_LINK_DOWN] = {RATE_FINE, RATE_SAY_NOTHING},
			[RATE_MEETS] = {RATE_FINE, RATE_SAY_NOTHING},
			[RATE_BELOW_FIRST] = {RATE_SLOW, RATE_SAY_SLOW},
			[RATE_BELOW_YOUNG] = {RATE_WAITING, RATE_SAY_NOTHING},
			[RATE_BELOW] = {RATE_SLOW, RATE_SAY_SLOW},
		},
	[RATE_WAITING] =
		{
			[RATE_NOT_JUDGED] = {RATE_WAITING, RATE_SAY_NOTHING},
			/* A link that trains again may come to another rate: time counts anew. */
			[RATE_LINK_DOWN] = {RATE_FINE, RATE_SAY_NOTHING},
			[RATE_MEETS] = {RATE_FINE, RATE_SAY_NOTHING},
			[RATE_BELOW_FIRST] = {RATE_SLOW, RATE_SAY_SLOW},
			[RATE_BELOW_YOUNG] = {RATE_WAITING, RATE_SAY_NOTHING},
			[RATE_BELOW] = {RATE_SLOW, RATE_SAY_SLOW},
		},
	[RATE_SLOW] =
		{
			[RATE_NOT_JUDGED] = {RATE_SLOW, RATE_SAY_NOTHING},
			[RATE_LINK_DOWN] = {RATE_SLOW, RATE_SAY_NOTHING},
			[RATE_MEETS] = {RATE_FINE, RATE_SAY_HEALTHY},
			[RATE_BELOW_FIRST] = {RATE_SLOW, RATE_SAY_NOTHING},
			[RATE_BELOW_YOUNG] = {RATE_SLOW, RATE_SAY_NOTHING},
			[RATE_BELOW] = {RATE_SLOW, RATE_SAY_NOTHING},
		},
};

enum rate_action
rate_step(enum rate_memory *memory, enum rate_sight sight)
{
	struct step step = table[*memory][sight];
	*memory = step.next;
	return step.action;
}
