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
	/* Oldest first, at most groups_mark_room(). Of RULE_ALL one for each kind; of RULE_SEQUENCE
	 * a list for each kind, see groups_sequence(). */
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

/* How many marks a group of this rule always has, some of which may be none; 0: as many as have
 * come. */
size_t groups_fixed_marks(const struct rule *rule);

/* How many marks a group of this rule has room for: these, or as many as it counts, and at least
 * GROUPS_EVIDENCE_MAX. */
size_t groups_mark_room(const struct rule *rule);

/* Of RULE_SEQUENCE the events of the kinds up to this one that have come in their order, the latest
 * that have: `kind` + 1 marks, all of which are none if there are none. */
struct group_mark *groups_sequence(const struct group *group, size_t kind);

/* What the group rests on, `*count` marks, some of which may be none. */
const struct group_mark *groups_evidence(const struct group *group, size_t *count);

void groups_fini(struct groups *groups);

#endif
