/* groups - the groups of one node: events with equal values, which a rule counts together. Indexed
 * by key and by due time. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_GROUPS_H
#define CORRELATE_GROUPS_H

#include "downtime.h"
#include "event.h"
#include "heap.h"
#include "map.h"
#include "open.h"
#include "rules.h"

/* Groups of all nodes together. When full, a node drops its group that is due first. */
#define GROUPS_MAX 100000

/* Event ids listed as evidence, the newest. */
#define GROUPS_EVIDENCE_MAX 8

struct group_mark {
	uint64_t at_us; /* 0: not set */
	char id[EVENT_ID_SIZE];
};

struct group {
	struct heap_node due; /* UINT64_MAX: waits for an answer */
	const struct rule *rule;
	uint64_t hash; /* of the key */
	size_t index;  /* in groups.items */
	char *key;
	/* the latest that counted; for RULE_LASTS that of the oldest open condition, or of the
	 * last one that was; NULL before the first */
	struct sighting *event;
	char *code;        /* errorCode in its report; NULL: not reported */
	bool standing;     /* reported, and its end is not reported yet */
	bool was_ended;    /* by the report that another group has ended: due for another report */
	uint64_t acted_us; /* of its latest event that is not STORE_ONLY; 0: none; for
			    * RULE_LASTS of its open conditions */
	bool did_act;      /* such an event made the pattern that was reported */
	bool executed;     /* that report was EXECUTE_REMEDIATION */
	/* Oldest first, at most groups_mark_room(). RULE_ALL has one per kind, RULE_SEQUENCE a list
	 * per kind, see groups_sequence(); RULE_LASTS the oldest open conditions. */
	struct group_mark *marks;
	size_t mark_count;
	struct open open;          /* for RULE_LASTS and RULE_TOTAL; else none */
	struct downtime *downtime; /* for RULE_TOTAL; else NULL */
};

/* Limit shared by all nodes. */
struct groups_budget {
	size_t groups, most;
	uint64_t refused; /* groups dropped or not created for lack of room */
};

/* All zeros except `budget`: no groups. */
struct groups {
	struct groups_budget *budget; /* not owned */
	struct group **items;
	size_t count, capacity;
	struct map by_key;
	struct heap due;
};

/* Return the group with this key, or NULL. */
struct group *groups_find(const struct groups *groups, const char *key);

/* Return the group with this key and add it if it is new. NULL with errno: ENOMEM, or ENOSPC if
 * there are too many. */
struct group *groups_find_or_add(struct groups *groups, const struct rule *rule, const char *key);

/* Remove and free the group. */
void groups_drop(struct groups *groups, struct group *group);

/* Make it the group's event, with a reference of its own, in place of the one before. */
void groups_set_event(struct group *group, struct sighting *event);

/* Return the fixed number of marks in a group of this rule, some of which may be unset; 0: one per
 * event. */
size_t groups_fixed_marks(const struct rule *rule);

/* Return the capacity for marks of a group of this rule: the fixed number or the rule's count, and
 * at least GROUPS_EVIDENCE_MAX. */
size_t groups_mark_room(const struct rule *rule);

/* For RULE_SEQUENCE: return the latest events of the kinds up to `kind` that came in order: `kind`
 * + 1 marks, either all set or all unset. */
struct group_mark *groups_sequence(const struct group *group, size_t kind);

/* Return the marks that the group is based on and their number in `*count`. Some may be unset. */
const struct group_mark *groups_evidence(const struct group *group, size_t *count);

void groups_fini(struct groups *groups);

#endif
