/* engine - what the rules make of one node's events, which come in the order of their time. Pure.
 *
 * What a rule counts together is a group: the events with the same values. A group is kept for as
 * long as its rule's time goes on, or what it has reported stands. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_ENGINE_H
#define CORRELATE_ENGINE_H

#include "event.h"
#include "heap.h"
#include "map.h"
#include "rules.h"

/* Most groups of all nodes together; beyond that those of a node go whose time ends first. */
#define ENGINE_GROUPS_MAX 100000

struct engine_budget {
	size_t groups, most;
	uint64_t refused; /* groups that were given up, or not begun */
};

/* So many ids of events are evidence, the newest. */
#define ENGINE_EVIDENCE_MAX 8

struct group_mark {
	uint64_t at_us; /* 0: there is none */
	char id[EVENT_ID_SIZE];
};

struct group {
	struct heap_node due; /* when its time ends; UINT64_MAX: it waits for an answer */
	const struct rule *rule;
	uint64_t hash; /* of the key */
	size_t index;  /* in the engine */
	char *key;
	json_t *event; /* the latest; of RULE_LASTS the first */
	char *code;    /* errorCode with which it was reported; NULL: none */
	bool standing; /* it was reported, and not yet that it is over */
	bool acts;     /* somebody is to act on one of its events: it is not STORE_ONLY */
	bool did_act;  /* the same when it was reported */
	/* oldest first, so many as the rule counts, and at least ENGINE_EVIDENCE_MAX; of RULE_ALL
	 * one for each kind */
	size_t mark_count;
	struct group_mark marks[];
};

/* What is to be reported. */
struct finding {
	const struct group *group;
	bool healthy; /* it is over */
	uint64_t at_us;
};

struct engine {
	const struct rules *rules;
	struct group **groups;
	size_t group_count, group_capacity;
	struct map by_key;
	struct heap due;
	struct engine_budget *budget;
	/* 0, or -1 with errno when memory ran out. */
	int (*report)(void *context, const struct finding *finding);
	void *context;
};

/* No groups. `rules` and `budget` are kept, not copied. */
void engine_init(struct engine *engine, const struct rules *rules, struct engine_budget *budget,
	int (*report)(void *context, const struct finding *finding), void *context);

/* Time has come to `now_us`, microseconds since 1970: reports what is due by then, in order. 0, or
 * -1 with errno when memory ran out. */
int engine_advance(struct engine *engine, uint64_t now_us);

/* Takes in an event of that moment, which is not before those that came before it. 0, or -1 as
 * above. */
int engine_accept(struct engine *engine, uint64_t at_us, json_t *event);

void engine_fini(struct engine *engine);

#endif
