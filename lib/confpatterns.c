/* confpatterns - the configuration's list of kernel log patterns, merged by name over the defaults. */
#include "confpatterns.h"

#include "event.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

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
take_enabled(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	yamldoc_bool(doc, node, &((struct conf_pattern *)target)->enabled);
}

static void
take_strategy(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	size_t index;
	if (yamldoc_word(
		    doc, node, "processingStrategy", event_strategies, EVENT_STRATEGY_N, &index))
		((struct conf_pattern *)target)->strategy = event_strategies[index];
}

/* The name was taken before the other keys, because it says which pattern they are for. */
static void
take_nothing(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	(void)doc, (void)node, (void)target;
}

static const struct yamldoc_key pattern_keys[] = {
	{"name", take_nothing},
	{"enabled", take_enabled},
	{"processingStrategy", take_strategy},
};

/* State of one pass over the list of patterns. */
struct pattern_pass {
	struct conf_pattern *patterns;
	bool seen[LOGPATTERN_N];
};

/* The pattern that a name is of, LOGPATTERN_N (reported) when it is of none that may be given here. */
static enum logpattern
take_name(struct yamldoc *doc, yaml_node_t *node, struct pattern_pass *pass)
{
	const char *name = yamldoc_text(doc, node);
	if (name == NULL)
		return LOGPATTERN_N;
	enum logpattern pattern = logpattern_find(name, strlen(name));
	if (pattern == LOGPATTERN_N) {
		yamldoc_problem(doc, node, "unknown pattern \"%s\"", name);
		return LOGPATTERN_N;
	}
	if (pass->seen[pattern]) {
		yamldoc_problem(doc, node, "pattern \"%s\" is given twice", name);
		return LOGPATTERN_N;
	}
	pass->seen[pattern] = true;
	return pattern;
}

static void
take_pattern(struct yamldoc *doc, yaml_node_t *node, void *target)
{
	struct pattern_pass *pass = target;
	struct conf_pattern nobody;
	yaml_node_t *name_node = yamldoc_find(doc, node, "name");
	if (name_node == NULL) {
		yamldoc_problem(doc, node, "a pattern without a name");
		return;
	}
	enum logpattern pattern = take_name(doc, name_node, pass);
	/* What else is wrong is said in the same go. */
	yamldoc_mapping(doc, node, pattern_keys, COUNT(pattern_keys),
		pattern != LOGPATTERN_N ? &pass->patterns[pattern] : &nobody);
}

void
confpatterns_take(
	struct yamldoc *doc, yaml_node_t *node, struct conf_pattern patterns[LOGPATTERN_N])
{
	struct pattern_pass pass = {.patterns = patterns};
	yamldoc_sequence(doc, node, take_pattern, &pass);
}
