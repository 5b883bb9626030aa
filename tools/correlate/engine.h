/* engine - what the rules make of one node's events, which come in the order of their time. Pure.
 */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_ENGINE_H
#define CORRELATE_ENGINE_H

#include "groups.h"

/* What has become of a group. */
enum finding_kind {
	FINDING_NEW,      /* it was found */
	FINDING_OVER,     /* that is over */
	FINDING_PASSED,   /* its time has passed, and it was not found */
	FINDING_ANSWERED, /* it was answered before its time had passed */
	FINDING_EXCEPTED, /* its exception has come */
	FINDING_OPEN,     /* there are no more events, and it may be found yet */
	FINDING_KIND_N,
};

/* What is to be reported: the first two to others, and all to whoever wants to know why. */
struct finding {
	const struct group *group;
	enum finding_kind kind;
	uint64_t at_us;
};

struct engine {
	const struct rules *rules;
	struct groups groups;
	uint64_t now_us; /* up to when it has looked for what is due */
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

/* Takes in an event of that moment. Few should be before those that came before it: what they
 * change is reported, but not for the time that has passed. 0, or -1 as above. */
int engine_accept(struct engine *engine, uint64_t at_us, struct sighting *event);

/* There are no more events: reports what is open. 0, or -1 as above. */
int engine_report_open(struct engine *engine);

/* Time goes on at `to_us`, and nobody knows what was in between: what lasts has to last anew. Or
 * the clock was set back, and all moments go with it. */
void engine_jump(struct engine *engine, uint64_t to_us);

/* The group of an event that was kept, which is new, and of which nothing is known but the event.
 * NULL with errno: ENOMEM, or another one when the event has no group, or it was there. */
struct group *engine_add_group(
	struct engine *engine, const struct rule *rule, struct sighting *event);

/* Whether receivers believe that what stands in this group is fatal: they know it by what it is
 * about, and of several rules that have found the same they believe the worst. */
bool engine_is_fatal(const struct engine *engine, const struct group *group);

void engine_fini(struct engine *engine);

#endif
