/* rules - parses the rule file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include "array.h"
#include "confdoc.h"
#include "diag.h"
#include "hash.h"
#include "num.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of rules, and longest time span of a rule. */
#define RULES_MAX 256
#define SPAN_MAX_NS (UINT64_C(7) * 86400 * NUM_NS_PER_S)

const char rules_default_text[] =
#include "correlate_rules.inc"
	;

const char *const rules_actions[] = {"NONE", "COMPONENT_RESET", "CONTACT_SUPPORT", "RUN_FIELDDIAG",
	"RESTART_VM", "RESTART_BM", "REPLACE_VM", "RUN_DCGMEUD", "UNKNOWN"};

/* --- values --- */

/* The words that match_value() returns. */
static bool
is_word_of_fatal(const char *pattern)
{
	return fnmatch(pattern, "true", 0) == 0 || fnmatch(pattern, "false", 0) == 0;
}

static void
accept_value(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct condition *condition = target;
	const char *text = confdoc_text(doc, node);
	if (text != NULL && condition->key.kind == MATCH_FATAL && !is_word_of_fatal(text))
		confdoc_problem(doc, node, "\"%s\" is neither true nor false", text);
	char *copy = text != NULL ? strdup(text) : NULL;
	char **values = copy != NULL ? reallocarray(condition->values, condition->count + 1,
					       sizeof *condition->values)
				     : NULL;
	if (values == NULL) {
		free(copy);
		if (text != NULL)
			confdoc_no_memory(doc);
		return;
	}
	condition->values = values;
	condition->values[condition->count++] = copy;
}

/* Return false if the text is no key, after a message. */
static bool
accept_match_key(
	struct confdoc *doc, const yaml_node_t *node, const char *text, struct match_key *out)
{
	char *copy = NULL;
	confdoc_copy(doc, text, &copy);
	if (copy != NULL && match_key_parse(out, copy))
		return true;
	if (copy != NULL)
		confdoc_problem(doc, node,
			"\"%s\" is not a field of an event, entity.TYPE or metadata.NAME", text);
	free(copy);
	return false;
}

static void
add_condition(struct confdoc *doc, const yaml_node_t *key, const char *name, yaml_node_t *value,
	struct match *match, bool excludes)
{
	struct match_key parsed;
	if (!accept_match_key(doc, key, name, &parsed))
		return;
	struct condition *conditions =
		reallocarray(match->conditions, match->count + 1, sizeof *conditions);
	if (conditions == NULL) {
		free(parsed.text);
		confdoc_no_memory(doc);
		return;
	}
	match->conditions = conditions;
	struct condition *condition = &conditions[match->count++];
	*condition = (struct condition){.key = parsed, .excludes = excludes};
	unsigned problems = doc->problems;
	if (value->type == YAML_SEQUENCE_NODE)
		confdoc_sequence(doc, value, accept_value, condition);
	else
		accept_value(doc, value, condition);
	if (condition->count == 0 && doc->problems == problems)
		confdoc_problem(doc, value, "\"%s\" needs a value", name);
}

static void
accept_exclusion(struct confdoc *doc, const yaml_node_t *key, const char *name, yaml_node_t *value,
	void *target)
{
	add_condition(doc, key, name, value, target, true);
}

static void
accept_condition(struct confdoc *doc, const yaml_node_t *key, const char *name, yaml_node_t *value,
	void *target)
{
	if (strcmp(name, "not") == 0)
		confdoc_pairs(doc, value, accept_exclusion, target);
	else
		add_condition(doc, key, name, value, target, false);
}

static void
parse_match(struct confdoc *doc, yaml_node_t *node, struct match *match)
{
	confdoc_pairs(doc, node, accept_condition, match);
	if (match->count == 0)
		confdoc_problem(doc, node, "without a condition all events would match");
}

static void
accept_kind(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct rule *rule = target;
	if (rule->kind_count == RULES_KINDS_MAX)
		confdoc_problem(doc, node, "more than %d kinds of events", RULES_KINDS_MAX);
	else
		parse_match(doc, node, &rule->kinds[rule->kind_count++]);
}

static void
accept_all(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct rule *rule = target;
	rule->form = RULE_ALL;
	confdoc_sequence(doc, node, accept_kind, rule);
}

static void
accept_sequence(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct rule *rule = target;
	rule->form = RULE_SEQUENCE;
	confdoc_sequence(doc, node, accept_kind, rule);
}

static void
accept_unless(struct confdoc *doc, yaml_node_t *node, void *target)
{
	parse_match(doc, node, &((struct rule *)target)->unless);
}

static void
accept_key(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct rule *rule = target;
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return;
	if (rule->group_count == RULES_GROUP_MAX)
		confdoc_problem(doc, node, "more than %d values", RULES_GROUP_MAX);
	else if (accept_match_key(doc, node, text, &rule->group[rule->group_count]))
		rule->group_count++;
}

static void
accept_group(struct confdoc *doc, yaml_node_t *node, void *target)
{
	confdoc_sequence(doc, node, accept_key, target);
}

static void
parse_name(struct confdoc *doc, yaml_node_t *node, char **out)
{
	const char *text = confdoc_text(doc, node);
	if (text != NULL && *text == '\0')
		confdoc_problem(doc, node, "a name is missing here");
	else if (text != NULL)
		confdoc_copy(doc, text, out);
}

static void
accept_name(struct confdoc *doc, yaml_node_t *node, void *target)
{
	parse_name(doc, node, &((struct rule *)target)->name);
}

static void
accept_check(struct confdoc *doc, yaml_node_t *node, void *target)
{
	parse_name(doc, node, &((struct rule *)target)->check);
}

static void
parse_span(struct confdoc *doc, yaml_node_t *node, uint64_t *out_ns, char **kept)
{
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return;
	confdoc_duration(doc, node, SPAN_MAX_NS, out_ns);
	confdoc_copy(doc, text, kept);
}

static void
accept_within(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct rule *rule = target;
	parse_span(doc, node, &rule->span_ns, &rule->span_text);
}

static void
accept_lasts(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct rule *rule = target;
	rule->form = RULE_LASTS;
	parse_span(doc, node, &rule->span_ns, &rule->span_text);
}

static void
accept_total(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct rule *rule = target;
	rule->form = RULE_TOTAL;
	parse_span(doc, node, &rule->total_ns, &rule->total_text);
}

#define TARGET(member) .target = offsetof(struct rule, member)
static const struct confdoc_key keys[] = {
	{"name", CONFDOC_ACCEPTED, .accept = accept_name},
	{"check", CONFDOC_ACCEPTED, .accept = accept_check},
	{"match", CONFDOC_ACCEPTED, .accept = accept_kind},
	{"all", CONFDOC_ACCEPTED, .accept = accept_all},
	{"sequence", CONFDOC_ACCEPTED, .accept = accept_sequence},
	{"group", CONFDOC_ACCEPTED, .accept = accept_group},
	{"count", CONFDOC_UNSIGNED, TARGET(count), .min = 1, .max = RULES_COUNT_MAX},
	{"within", CONFDOC_ACCEPTED, .accept = accept_within},
	{"lasts", CONFDOC_ACCEPTED, .accept = accept_lasts},
	{"total", CONFDOC_ACCEPTED, .accept = accept_total},
	{"unless", CONFDOC_ACCEPTED, .accept = accept_unless},
	{"action", CONFDOC_WORD, TARGET(action), .words = rules_actions,
		.count = ARRAY_COUNT(rules_actions)},
	{"strategy", CONFDOC_WORD, TARGET(strategy), .words = event_strategies,
		.count = EVENT_STRATEGY_N},
};

/* --- required and excluded keys --- */

static const struct form {
	const char *name;                   /* key that selects the form */
	const char *needed[3], *refused[6]; /* keys */
} forms[RULE_FORM_N] = {
	[RULE_COUNT] = {"match", {"match", "count", "within"}, {"unless"}},
	[RULE_ALL] = {"all", {"all", "within"}, {"match", "count", "lasts", "unless", "sequence"}},
	[RULE_LASTS] = {"lasts", {"match", "lasts"},
		{"count", "within", "all", "total", "sequence"}},
	[RULE_TOTAL] = {"total", {"match", "total", "within"},
		{"count", "all", "unless", "sequence"}},
	[RULE_SEQUENCE] = {"sequence", {"sequence", "within"},
		{"match", "count", "lasts", "unless", "all", "total"}},
};

static void
check_form(struct confdoc *doc, yaml_node_t *node, const struct rule *rule)
{
	const struct form *form = &forms[rule->form];
	for (size_t i = 0; i < ARRAY_COUNT(form->needed) && form->needed[i] != NULL; i++)
		if (confdoc_find(doc, node, form->needed[i]) == NULL)
			confdoc_problem(doc, node, "this rule needs \"%s\"", form->needed[i]);
	for (size_t i = 0; i < ARRAY_COUNT(form->refused) && form->refused[i] != NULL; i++)
		if (confdoc_find(doc, node, form->refused[i]) != NULL)
			confdoc_problem(doc, node, "\"%s\" does not go with \"%s\"",
				form->refused[i], form->name);
	if ((rule->form == RULE_ALL || rule->form == RULE_SEQUENCE) && rule->kind_count < 2)
		confdoc_problem(doc, node, "\"%s\" needs two kinds of events", form->name);
	if (rule->span_ns == 0 || (rule->form == RULE_TOTAL && rule->total_ns == 0))
		confdoc_problem(doc, node, "this rule needs a time of more than 0");
	if (rule->form == RULE_TOTAL && rule->total_ns > rule->span_ns)
		confdoc_problem(doc, node, "\"total\" is longer than \"within\"");
}

static void
accept_rule(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct rules *rules = target;
	struct rule *items = rules->count < RULES_MAX ? array_grown(rules->items, rules->count,
								&rules->capacity, sizeof *items)
						      : NULL;
	if (rules->count == RULES_MAX)
		confdoc_problem(doc, node, "more than %d rules", RULES_MAX);
	else if (items == NULL)
		confdoc_no_memory(doc);
	if (items == NULL)
		return;
	rules->items = items;
	struct rule *rule = &items[rules->count++];
	*rule = (struct rule){.strategy = EVENT_STRATEGY_N};
	confdoc_mapping(doc, node, keys, ARRAY_COUNT(keys), rule);
	if (rule->name == NULL)
		confdoc_problem(doc, node, "a rule needs a name");
	for (size_t i = 0; i + 1 < rules->count && rule->name != NULL; i++)
		if (items[i].name != NULL && strcmp(items[i].name, rule->name) == 0)
			confdoc_problem(doc, node, "rule \"%s\" is given twice", rule->name);
	if (node->type == YAML_MAPPING_NODE)
		check_form(doc, node, rule);
}

/* --- the file --- */

static void
accept_rules(struct confdoc *doc, yaml_node_t *node, void *target)
{
	confdoc_sequence(doc, node, accept_rule, target);
}

static int
exit_code(enum confdoc_status status, const char *path)
{
	switch (status) {
	case CONFDOC_OK:
		return 0;
	case CONFDOC_UNREADABLE:
		return diag_open_failure(path);
	case CONFDOC_NO_MEMORY:
		return EXIT_OS;
	case CONFDOC_REFUSED:
		return EXIT_NO_PERMISSION;
	case CONFDOC_MALFORMED:
		break;
	}
	return EXIT_CONFIG;
}

/* Parse the document if it was opened, and close it. Return the exit code. */
static int
accept_document(
	struct rules *rules, struct confdoc *doc, enum confdoc_status opened, const char *path)
{
	static const struct confdoc_key top[] = {
		{"rules", CONFDOC_ACCEPTED, .accept = accept_rules}};
	*rules = (struct rules){0};
	if (opened != CONFDOC_OK)
		return exit_code(opened, path);
	yaml_node_t *root = confdoc_root(doc);
	if (root != NULL)
		confdoc_mapping(doc, root, top, ARRAY_COUNT(top), rules);
	int status = doc->starved ? EXIT_OS : doc->problems > 0 ? EXIT_CONFIG : 0;
	confdoc_close(doc);
	return status;
}

int
rules_parse(struct rules *rules, const char *name, const char *text)
{
	struct confdoc doc;
	return accept_document(rules, &doc, confdoc_parse(&doc, name, text, strlen(text)), name);
}

int
rules_load(struct rules *rules, const char *path)
{
	struct confdoc doc;
	if (path == NULL)
		return rules_parse(rules, "built-in rules", rules_default_text);
	return accept_document(rules, &doc, confdoc_open(&doc, path), path);
}

/* --- properties of a rule --- */

const char *
rules_check(const struct rule *rule)
{
	return rule->check != NULL ? rule->check : rule->name;
}

uint64_t
rules_span_us(const struct rule *rule)
{
	return rule->span_ns / NUM_NS_PER_US;
}

bool
rules_is_fatal(const struct rule *rule)
{
	return rule->action != 0;
}

static uint64_t
hash_match(uint64_t hash, const struct match *match)
{
	for (size_t i = 0; i < match->count; i++) {
		const struct condition *condition = &match->conditions[i];
		hash = hash_text(hash, condition->excludes ? "not" : "");
		hash = hash_text(hash, condition->key.text);
		for (size_t value = 0; value < condition->count; value++)
			hash = hash_text(hash, condition->values[value]);
	}
	return hash_bytes(hash, &match->count, sizeof match->count);
}

uint64_t
rules_hash(const struct rule *rule)
{
	const uint64_t numbers[] = {
		rule->form, rule->count, rule->span_ns, rule->total_ns, rule->kind_count};
	uint64_t hash = hash_bytes(HASH_START, numbers, sizeof numbers);
	hash = hash_text(hash_text(hash, rule->name), rules_check(rule));
	for (size_t i = 0; i < rule->kind_count; i++)
		hash = hash_match(hash, &rule->kinds[i]);
	hash = hash_match(hash, &rule->unless);
	for (size_t i = 0; i < rule->group_count; i++)
		hash = hash_text(hash, rule->group[i].text);
	return hash;
}

void
rules_fini(struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		struct rule *rule = &rules->items[i];
		for (size_t kind = 0; kind < rule->kind_count; kind++)
			match_fini(&rule->kinds[kind]);
		match_fini(&rule->unless);
		for (size_t key = 0; key < rule->group_count; key++)
			free(rule->group[key].text);
		free(rule->name);
		free(rule->check);
		free(rule->span_text);
		free(rule->total_text);
	}
	free(rules->items);
	*rules = (struct rules){0};
}
