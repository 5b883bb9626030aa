/* rules - parses the rule file: which events make a pattern, how many, and within what time. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_RULES_H
#define CORRELATE_RULES_H

#include "event.h"
#include "match.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of a rule: kinds of events, values that form its groups, events that it counts. */
#define RULES_KINDS_MAX 4
#define RULES_GROUP_MAX 4
#define RULES_COUNT_MAX 64

enum rule_form {
	RULE_COUNT,    /* `count` events within `span_ns` */
	RULE_ALL,      /* one event of each kind within `span_ns`, in any order */
	RULE_LASTS,    /* an event without an answer for `span_ns` */
	RULE_TOTAL,    /* events without an answer for `total_ns` in all within `span_ns` */
	RULE_SEQUENCE, /* one event of each kind within `span_ns`, in the order of the kinds */
	RULE_FORM_N,
};

struct rule {
	char *name;
	char *check; /* checkName of derived events; NULL: the name */
	enum rule_form form;
	struct match kinds[RULES_KINDS_MAX];
	size_t kind_count; /* 1, except for RULE_ALL and RULE_SEQUENCE */
	/* RULE_LASTS: an event that drops the group; no conditions: none does */
	struct match unless;
	/* values that all events of a group share, besides the node */
	struct match_key group[RULES_GROUP_MAX];
	size_t group_count;
	unsigned count;
	uint64_t span_ns;
	uint64_t total_ns;            /* RULE_TOTAL */
	char *span_text, *total_text; /* as written in the rule */
	unsigned action;              /* index in rules_actions */
	unsigned strategy;            /* enum event_strategy; EVENT_STRATEGY_N: not given */
};

struct rules {
	struct rule *items;
	size_t count, capacity;
};

/* NVSentinel's recommendedActions; the first one is NONE. */
extern const char *const rules_actions[];

/* Load the rules from the file at `path`, or the built-in ones if NULL. Problems are reported with
 * line and column. Return 0, or the exit code. Call rules_fini() in every case. */
int rules_load(struct rules *rules, const char *path);

/* Like rules_load() for a YAML text; `name` is its name in messages. */
int rules_parse(struct rules *rules, const char *name, const char *text);

/* Return the checkName of the rule's derived events. */
const char *rules_check(const struct rule *rule);

/* Return the time within which the pattern must be found, us. */
uint64_t rules_span_us(const struct rule *rule);

/* Return true if the rule has an action, which makes its derived events fatal. */
bool rules_is_fatal(const struct rule *rule);

/* Return a hash that is equal for rules that find the same. */
uint64_t rules_hash(const struct rule *rule);

/* Text of rules.yaml. */
extern const char rules_default_text[];

void rules_fini(struct rules *rules);

#endif
