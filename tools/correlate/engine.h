/* engine - applies the rules to the events of one node, in the order of their time. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_ENGINE_H
#define CORRELATE_ENGINE_H

#include "groups.h"

/* What happened to a group. */
enum finding_kind {
	FINDING_NEW,      /* the pattern was found */
	FINDING_OVER,     /* a found pattern has ended */
	FINDING_AGAIN,    /* it stands, but the report that another one has ended ended it, too */
	FINDING_PASSED,   /* the time passed without the pattern */
	FINDING_ANSWERED, /* a healthy event answered it before the time passed */
	FINDING_EXCEPTED, /* an event of `unless` came */
	FINDING_OPEN,     /* end of input before a decision */
	FINDING_KIND_N,
};

/* A decision about a group. NEW, OVER and AGAIN become events; --explain writes all but AGAIN. */
struct finding {
	const struct group *group;
	enum finding_kind kind;
	uint64_t at_us;
};

struct engine {
	const struct rules *rules;
	struct groups groups;
	uint64_t now_us; /* groups due before it have been processed */
	bool has_ended;  /* a group may be due for FINDING_AGAIN */
	bool executes;   /* --strategy is EXECUTE_REMEDIATION */
	/* return 0, or -1 with errno when memory ran out */
	int (*report)(void *context, const struct finding *finding);
	void *context;
};

/* Initialise an engine without groups. `rules` and `budget` are not copied and must outlive it. */
void engine_init(struct engine *engine, const struct rules *rules, struct groups_budget *budget,
	int (*report)(void *context, const struct finding *finding), void *context);

/* Advance the time to `now_us`, microseconds since 1970, and report what is due by then, in order.
 * Return 0, or -1 with errno when memory ran out. */
int engine_advance(struct engine *engine, uint64_t now_us);

/* Accept an event of the time `at_us`. Events should come in order: findings of a late event are
 * reported with the current time, not with an earlier one. Return 0, or -1 as above. */
int engine_accept(struct engine *engine, uint64_t at_us, struct sighting *event);

/* At the end of the input, report the undecided groups. Return 0, or -1 as above. */
int engine_report_open(struct engine *engine);

/* Continue at `to_us`. After a jump forward nobody knows what happened in between, so lasting
 * conditions start over. After a jump back, all times move back. */
void engine_jump(struct engine *engine, uint64_t to_us);

/* Add a new group for a stored event. Return NULL with errno: ENOMEM, EEXIST if the group exists,
 * or another value if the event has no group or there is no room. */
struct group *engine_add_group(
	struct engine *engine, const struct rule *rule, struct sighting *event);

/* Remember that a stored event's condition is open in the group. Return false with errno: ENOMEM,
 * or another value if the event is not one of the group, is open there already, or there is no
 * room. */
bool engine_add_open(
	struct engine *engine, struct group *group, uint64_t at_us, struct sighting *event);

/* Return true if receivers treat the group's condition as fatal: of several rules that report the
 * same condition, the worst counts. */
bool engine_is_fatal(const struct engine *engine, const struct group *group);

void engine_fini(struct engine *engine);

#endif
