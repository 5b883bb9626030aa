/* confpatterns - parses the configuration's list of kernel log patterns and merges it by name over
 * the defaults. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confpatterns.h"

#include "array.h"
#include "event.h"
#include "words.h"

#include <string.h>

void
confpatterns_init(struct conf_pattern patterns[LOGPATTERN_N])
{
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		patterns[pattern] = (struct conf_pattern){
			.enabled = true,
			.strategy = logpattern_is_extended(pattern)
					    ? event_strategies[EVENT_STORE_ONLY]
					    : NULL,
		};
}

static void
accept_strategy(struct confdoc *doc, yaml_node_t *node, void *target)
{
	size_t index;
	if (confdoc_word(
		    doc, node, "processingStrategy", event_strategies, EVENT_STRATEGY_N, &index))
		((struct conf_pattern *)target)->strategy = event_strategies[index];
}

static const struct confdoc_key pattern_keys[] = {
	{"name", .type = CONFDOC_KNOWN},
	{"enabled", CONFDOC_BOOL, .target = offsetof(struct conf_pattern, enabled)},
	{"processingStrategy", .accept = accept_strategy},
};

/* State while parsing the list of patterns. */
struct pattern_pass {
	struct conf_pattern *patterns;
	bool seen[LOGPATTERN_N];
};

/* Return the pattern named by `node`. If there is none, or it is repeated, report that and return
 * LOGPATTERN_N. */
static enum logpattern
parse_name(struct confdoc *doc, yaml_node_t *node, struct pattern_pass *pass)
{
	const char *name = confdoc_text(doc, node);
	if (name == NULL)
		return LOGPATTERN_N;
	enum logpattern pattern = logpattern_find(name, strlen(name));
	if (pattern == LOGPATTERN_N) {
		struct words words;
		words_begin(&words, name, strlen(name));
		for (pattern = 0; pattern < LOGPATTERN_N; pattern++)
			words_offer(&words, logpattern_name(pattern));
		confdoc_problem(doc, node, "%s", words_unknown(&words, "pattern"));
		return LOGPATTERN_N;
	}
	if (pass->seen[pattern]) {
		confdoc_problem(doc, node, "pattern \"%s\" is given twice", name);
		return LOGPATTERN_N;
	}
	pass->seen[pattern] = true;
	return pattern;
}

static void
accept_pattern(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct pattern_pass *pass = target;
	struct conf_pattern nobody;
	yaml_node_t *name_node = confdoc_find(doc, node, "name");
	if (name_node == NULL) {
		confdoc_problem(doc, node, "the pattern has no name");
		return;
	}
	enum logpattern pattern = parse_name(doc, name_node, pass);
	/* Check the other keys even if the name is wrong. */
	confdoc_mapping(doc, node, pattern_keys, ARRAY_COUNT(pattern_keys),
		pattern != LOGPATTERN_N ? &pass->patterns[pattern] : &nobody);
}

void
confpatterns_parse(
	struct confdoc *doc, yaml_node_t *node, struct conf_pattern patterns[LOGPATTERN_N])
{
	struct pattern_pass pass = {.patterns = patterns};
	confdoc_sequence(doc, node, accept_pattern, &pass);
}
