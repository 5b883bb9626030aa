/* engine - what the rules make of one node's events, which come in the order of their time. Pure.
 */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_ENGINE_H
#define CORRELATE_ENGINE_H

#include "groups.h"

/* What is to be reported. */
struct finding {
	const struct group *group;
	bool healthy; /* it is over */
	uint64_t at_us;
};

struct engine {
	const struct rules *rules;
	struct groups groups;
	/* 0, or -1 with errno when memory ran out. */
	int (*report)(void *context, const struct finding *finding);
	void *context;
};

/* No groups. `rules` and `budget` are kept, not copied. */
void engine_init(struct engine *engine, const struct rules *rules, struct groups_budget *budget,
	int (*report)(void *context, const struct finding *finding), void *context);

/* Time has come to `now_us`, microseconds since 1970: reports what is due by then, in order. 0, or
 * -1 with errno when memory ran out. */
int engine_advance(struct engine *engine, uint64_t now_us);

/* Takes in an event of that moment, which is not before those that came before it. 0, or -1 as
 * above. */
int engine_accept(struct engine *engine, uint64_t at_us, json_t *event);

void engine_fini(struct engine *engine);

#endif
