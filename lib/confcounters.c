/* confcounters - parses the configuration's list of counters and merges it by name over the
 * built-in ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confcounters.h"

#include "array.h"
#include "errorcode.h"
#include "num.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest name of a counter; it becomes part of events and keys. */
#define NAME_MAX_BYTES 64

static void
accept_path(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct counter_def *def = target;
	enum counter_group group;
	const char *file;
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return;
	if (!counter_parse_path(text, &group, &file)) {
		confdoc_problem(doc, node,
			"\"%s\" is not a counter path (counters/, hw_counters/, "
			"device_hw_counters/, "
			"statistics/ or /sys/class/net/{interface}/ and a file name)",
			text);
		return;
	}
	confdoc_copy(doc, file, &def->file);
	def->group = group;
}

static void
accept_threshold(struct confdoc *doc, yaml_node_t *node, void *target)
{
	double value;
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return;
	if (num_parse_double(text, &value) != NUM_OK || value < 0)
		confdoc_problem(doc, node, "threshold \"%s\" is not a number of at least 0", text);
	else
		((struct counter_def *)target)->threshold = value;
}

static void
accept_description(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct counter_def *def = target;
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return;
	/* Consumers of NVSentinel's conditions split their messages at `;`. */
	if (strchr(text, ';') != NULL) {
		confdoc_problem(doc, node, "a description must not contain \";\"");
		return;
	}
	/* They also look for the action after these words. */
	if (strstr(text, "Recommended Action=") != NULL) {
		confdoc_problem(
			doc, node, "a description must not contain \"Recommended Action=\"");
		return;
	}
	confdoc_copy(doc, text, &def->description);
}

#define TARGET(member) .target = offsetof(struct counter_def, member)

/* accept_counter() reads the name first, to find the counter. */
static const struct confdoc_key counter_keys[] = {
	{"name", .type = CONFDOC_KNOWN},
	{"path", .accept = accept_path},
	{"enabled", CONFDOC_BOOL, TARGET(enabled)},
	{"isFatal", CONFDOC_BOOL, TARGET(fatal)},
	{"thresholdType", CONFDOC_WORD, TARGET(type), .words = counter_types,
		.count = COUNTER_TYPE_N},
	{"threshold", .accept = accept_threshold},
	{"velocityUnit", CONFDOC_WORD, TARGET(unit), .words = counter_units,
		.count = COUNTER_UNIT_N},
	{"earlyBreach", CONFDOC_BOOL, TARGET(early_breach)},
	{"description", .accept = accept_description},
};

/* State while parsing the list of counters. */
struct counter_pass {
	struct counter_list *list;
	const char **seen;
	size_t seen_count, seen_capacity;
};

static bool
is_seen(const struct counter_pass *pass, const char *name)
{
	for (size_t i = 0; i < pass->seen_count; i++) {
		if (strcmp(pass->seen[i], name) == 0)
			return true;
	}
	return false;
}

/* Remember the name at `node`. Return false, after reporting it, if the name is repeated or memory
 * ran out. */
static bool
remember(struct counter_pass *pass, struct confdoc *doc, const yaml_node_t *node, const char *name)
{
	if (is_seen(pass, name)) {
		confdoc_problem(doc, node, "counter \"%s\" is given twice", name);
		return false;
	}
	const char **seen =
		array_grown(pass->seen, pass->seen_count, &pass->seen_capacity, sizeof *seen);
	if (seen == NULL)
		return confdoc_no_memory(doc);
	pass->seen = seen;
	seen[pass->seen_count++] = name;
	return true;
}

/* Suggest a known name: most unknown names are misspelt. */
static void
report_new(struct confdoc *doc, const yaml_node_t *node, const char *name,
	const struct counter_list *list)
{
	struct words words;
	words_begin(&words, name, strlen(name));
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].name, name) != 0)
			words_offer(&words, list->items[i].name);
	}
	confdoc_problem(doc, node,
		"counter \"%s\" is new and needs a path%s (nic-health-monitor.yaml(5) lists the "
		"known counters)",
		name, words_hint(&words));
}

static void
accept_counter(struct confdoc *doc, yaml_node_t *node, void *target)
{
	struct counter_pass *pass = target;
	yaml_node_t *name_node = confdoc_find(doc, node, "name");
	if (name_node == NULL) {
		confdoc_problem(doc, node, "the counter has no name");
		return;
	}
	const char *name = confdoc_text(doc, name_node);
	if (name == NULL)
		return;
	/* `:` separates the parts of a key in the state file. */
	if (*name == '\0' || strlen(name) > NAME_MAX_BYTES || strpbrk(name, ":/; \t\n") != NULL) {
		confdoc_problem(doc, name_node, "\"%s\" is not a valid counter name", name);
		return;
	}
	if (errorcode_is_taken(name)) {
		confdoc_problem(doc, name_node,
			"\"%s\" is not allowed as a counter's name: it is the errorCode of other "
			"events",
			name);
		return;
	}
	if (!remember(pass, doc, name_node, name))
		return;

	struct counter_list *list = pass->list;
	struct counter_def *def = counter_list_find(list, name);
	bool is_new = def == NULL;
	if (is_new)
		def = counter_list_add(list, name);
	if (def == NULL) {
		confdoc_no_memory(doc);
		return;
	}
	/* A TOML list names every counter to watch, so its items are on by default. */
	def->enabled |= doc->is_toml;
	confdoc_mapping(doc, node, counter_keys, ARRAY_COUNT(counter_keys), def);

	if (is_new && confdoc_find(doc, node, "path") == NULL)
		report_new(doc, name_node, name, list);
	if (is_new && confdoc_find(doc, node, "thresholdType") == NULL)
		confdoc_problem(
			doc, name_node, "counter \"%s\" is new and needs a thresholdType", name);
	if (def->description == NULL)
		confdoc_copy(doc, "Configured counter", &def->description);
}

void
confcounters_parse(struct confdoc *doc, yaml_node_t *node, struct counter_list *list)
{
	struct counter_pass pass = {.list = list};
	confdoc_sequence(doc, node, accept_counter, &pass);
	for (size_t i = 0; doc->is_toml && i < list->count; i++)
		list->items[i].enabled &= is_seen(&pass, list->items[i].name);
	free(pass.seen);
}
