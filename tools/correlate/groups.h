/* groups - one node's events that rules count together: those with the same values. Found by a key,
 * and by when their time ends. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_GROUPS_H
#define CORRELATE_GROUPS_H

#include "downtime.h"
#include "event.h"
#include "heap.h"
#include "map.h"
#include "rules.h"

/* Most groups of all nodes together; beyond that those of a node go whose time ends first. */
#define GROUPS_MAX 100000

/* So many ids of events are evidence, the newest. */
#define GROUPS_EVIDENCE_MAX 8

struct group_mark {
	uint64_t at_us; /* 0: there is none */
	char id[EVENT_ID_SIZE];
};

struct group {
	struct heap_node due; /* when its time ends; UINT64_MAX: it waits for an answer */
	const struct rule *rule;
	uint64_t hash; /* of the key */
	size_t index;  /* among the groups */
	char *key;
	struct sighting *event; /* the latest; of RULE_LASTS the first; NULL before it */
	char *code;             /* errorCode with which it was reported; NULL: none */
	bool standing;          /* it was reported, and not yet that it is over */
	bool acts;              /* somebody is to act on one of its events: it is not STORE_ONLY */
	bool did_act;           /* the same when it was reported */
	/* oldest first, at most groups_mark_room(); of RULE_ALL one for each kind */
	struct group_mark *marks;
	size_t mark_count;
	struct downtime *downtime; /* of RULE_TOTAL; else NULL */
};

/* What all nodes share. */
struct groups_budget {
	size_t groups, most;
	uint64_t refused; /* groups that were given up, or not begun */
};

/* All zeros but for the budget: none. */
struct groups {
	struct groups_budget *budget; /* not owned */
	struct group **items;
	size_t count, capacity;
	struct map by_key;
	struct heap due;
};

/* The group with this key, or NULL. */
struct group *groups_find(const struct groups *groups, const char *key);

/* The same, or a new one. NULL with errno: ENOMEM, or ENOSPC when there are too many. */
struct group *groups_find_or_add(struct groups *groups, const struct rule *rule, const char *key);

/* Takes it out, and frees it. */
void groups_drop(struct groups *groups, struct group *group);

/* How many marks a group of this rule has room for: as many as it counts, and at least
 * GROUPS_EVIDENCE_MAX. */
size_t groups_mark_room(const struct rule *rule);

void groups_fini(struct groups *groups);

#endif
