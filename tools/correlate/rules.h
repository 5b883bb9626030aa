/* rules - patterns over time, as a file has them: which events, how many of them, within which
 * time. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_RULES_H
#define CORRELATE_RULES_H

#include "event.h"
#include "match.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most kinds of events that a rule waits for together, values that its groups have, and events that
 * it counts. */
#define RULES_KINDS_MAX 4
#define RULES_GROUP_MAX 4
#define RULES_COUNT_MAX 64

enum rule_form {
	RULE_COUNT,    /* `count` events within `span_ns` */
	RULE_ALL,      /* one event of each kind within `span_ns`, in any order */
	RULE_LASTS,    /* an event that nothing has answered for `span_ns` */
	RULE_TOTAL,    /* events that within `span_ns` were not answered for `total_ns` in all */
	RULE_SEQUENCE, /* one event of each kind within `span_ns`, each later than the one before */
	RULE_FORM_N,
};

struct rule {
	char *name;
	char *check; /* checkName of what is found; NULL: the name */
	enum rule_form form;
	struct match kinds[RULES_KINDS_MAX];
	size_t kind_count; /* 1, but for RULE_ALL and RULE_SEQUENCE */
	/* RULE_LASTS: what keeps it from being found; without conditions: nothing does */
	struct match unless;
	/* what has to be the same of all, besides the node */
	struct match_key group[RULES_GROUP_MAX];
	size_t group_count;
	unsigned count;
	uint64_t span_ns;
	uint64_t total_ns;            /* RULE_TOTAL */
	char *span_text, *total_text; /* the same as they were written */
	unsigned action;              /* of rules_actions */
	unsigned strategy;            /* enum event_strategy; EVENT_STRATEGY_N: not given */
};

struct rules {
	struct rule *items;
	size_t count, capacity;
};

/* NVSentinel's recommendedActions; the first is none. */
extern const char *const rules_actions[];

/* Reads the rules in the file at `path`; NULL: those that are built in. What is wrong has been said
 * with its line and column. 0, or the exit code to end with. End with rules_fini() in every case.
 */
int rules_load(struct rules *rules, const char *path);

/* The same for a text in YAML, which messages call `name`. */
int rules_parse(struct rules *rules, const char *name, const char *text);

/* checkName of what a rule finds. */
const char *rules_check(const struct rule *rule);

/* Whether somebody is to act on what it finds. */
bool rules_is_fatal(const struct rule *rule);

/* Two rules that find the same have the same number. */
uint64_t rules_hash(const struct rule *rule);

/* The file of the built-in rules. */
extern const char rules_default_text[];

void rules_fini(struct rules *rules);

#endif
