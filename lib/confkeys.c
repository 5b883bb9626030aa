/* confkeys - evaluates the nodes of a configuration file: values, and keys by a table. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confdoc.h"

#include "diag.h"
#include "num.h"
#include "words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest message; one that lists all possible words is long. */
#define PROBLEM_MAX_BYTES 1400

/* Longest name of a known key. */
#define KEY_MAX_BYTES 63

/* Most problems reported per file. */
#define PROBLEMS_MAX 100

#define TEXT_OF_WORD(word) #word
#define TEXT_OF(macro) TEXT_OF_WORD(macro)

/* Return true if the file has reached the limit of reported problems. */
static bool
is_hopeless(const struct confdoc *doc)
{
	return doc->problems >= PROBLEMS_MAX;
}

void
confdoc_problem(struct confdoc *doc, const yaml_node_t *node, const char *format, ...)
{
	if (is_hopeless(doc))
		return;
	char text[PROBLEM_MAX_BYTES];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	diag_error("%s:%zu:%zu: %s", doc->path, node->start_mark.line + 1,
		node->start_mark.column + 1, text);
	doc->problems++;
	if (is_hopeless(doc))
		diag_error("%s: " TEXT_OF(
				   PROBLEMS_MAX) " problems: the rest of the file is not checked",
			doc->path);
}

static bool
is_null(const yaml_node_t *node)
{
	if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	const char *text = (const char *)node->data.scalar.value;
	return *text == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

static const char *
key_text(struct confdoc *doc, const yaml_node_pair_t *pair)
{
	const yaml_node_t *key = yaml_document_get_node(&doc->document, pair->key);
	return key->type == YAML_SCALAR_NODE ? (const char *)key->data.scalar.value : "";
}

static bool
is_repeated(struct confdoc *doc, const yaml_node_t *node, const yaml_node_pair_t *pair)
{
	for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; p < pair; p++) {
		if (strcmp(key_text(doc, p), key_text(doc, pair)) == 0)
			return true;
	}
	return false;
}

yaml_node_t *
confdoc_find(struct confdoc *doc, yaml_node_t *node, const char *key)
{
	if (node->type != YAML_MAPPING_NODE)
		return NULL;
	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
		pair < node->data.mapping.pairs.top; pair++) {
		if (strcmp(key_text(doc, pair), key) == 0)
			return yaml_document_get_node(&doc->document, pair->value);
	}
	return NULL;
}

const char *
confdoc_text(struct confdoc *doc, yaml_node_t *node)
{
	if (node->type != YAML_SCALAR_NODE) {
		confdoc_problem(doc, node, "a single value is expected here");
		return NULL;
	}
	if (is_null(node)) {
		confdoc_problem(doc, node, "a value is missing here (write \"\" for an empty one)");
		return NULL;
	}
	const char *text = (const char *)node->data.scalar.value;
	if (strlen(text) != node->data.scalar.length) {
		confdoc_problem(doc, node, "a NUL byte inside a value");
		return NULL;
	}
	return text;
}

void
confdoc_copy(struct confdoc *doc, const char *text, char **out)
{
	char *copy = strdup(text);
	if (copy == NULL) {
		confdoc_no_memory(doc);
		return;
	}
	free(*out);
	*out = copy;
}

static void
parse_bool(struct confdoc *doc, yaml_node_t *node, bool *out)
{
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return;
	if (strcmp(text, "true") == 0)
		*out = true;
	else if (strcmp(text, "false") == 0)
		*out = false;
	else
		confdoc_problem(doc, node, "\"%s\" is neither true nor false", text);
}

static void
parse_unsigned(struct confdoc *doc, yaml_node_t *node, unsigned min, unsigned max, unsigned *out)
{
	uint64_t value;
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return;
	if (num_parse_u64(text, max, &value) != NUM_OK || value < min)
		confdoc_problem(
			doc, node, "\"%s\" is not a whole number from %u to %u", text, min, max);
	else
		*out = (unsigned)value;
}

void
confdoc_duration(struct confdoc *doc, yaml_node_t *node, uint64_t max_ns, uint64_t *out_ns)
{
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return;
	switch (num_parse_duration(text, max_ns, out_ns)) {
	case NUM_OK:
		break;
	case NUM_MALFORMED:
		confdoc_problem(doc, node, "\"%s\" is not a duration, such as 90s or 2m", text);
		break;
	case NUM_RANGE:
		confdoc_problem(doc, node, "\"%s\" is longer than %" PRIu64 " seconds", text,
			max_ns / NUM_NS_PER_S);
		break;
	}
}

bool
confdoc_word(struct confdoc *doc, yaml_node_t *node, const char *what, const char *const *words,
	size_t count, size_t *index)
{
	const char *text = confdoc_text(doc, node);
	if (text == NULL)
		return false;
	struct words near;
	const char *reason = words_parse(&near, what, words, count, text, index);
	if (reason != NULL)
		confdoc_problem(doc, node, "%s", reason);
	return reason == NULL;
}

/* --- keys: a row's path continues after the first `depth` bytes, which are the mapping's --- */

static bool
is_named(const struct confdoc_key *key, size_t depth, const char *name)
{
	size_t length = strcspn(key->path + depth, ".");
	return words_equal(name, key->path + depth, length);
}

static void
report_unknown_key(struct confdoc *doc, const yaml_node_t *node, const char *name,
	const struct confdoc_key *keys, size_t count, size_t depth)
{
	struct words words;
	char known[KEY_MAX_BYTES + 1] = "";
	words_begin(&words, name, strlen(name));
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && is_named(&keys[i], depth, known))
			continue;
		const char *rest = keys[i].path + depth;
		snprintf(known, sizeof known, "%.*s", (int)strcspn(rest, "."), rest);
		words_offer(&words, known);
	}
	confdoc_problem(doc, node, "%s", words_unknown(&words, "key"));
}

static void
set_value(struct confdoc *doc, yaml_node_t *node, const struct confdoc_key *key, void *target)
{
	void *out = (char *)target + key->target;
	size_t index;
	switch (key->type) {
	case CONFDOC_ACCEPTED:
		key->accept(doc, node, target);
		break;
	case CONFDOC_BOOL:
		parse_bool(doc, node, out);
		break;
	case CONFDOC_UNSIGNED:
		parse_unsigned(doc, node, key->min, (unsigned)key->max, out);
		break;
	case CONFDOC_DURATION:
		confdoc_duration(doc, node, key->max, out);
		break;
	case CONFDOC_WORD:
		if (confdoc_word(doc, node, key->path, key->words, key->count, &index))
			*(unsigned *)out = (unsigned)index;
		break;
	case CONFDOC_KNOWN:
		break;
	}
}

#define REPEATED "key \"%s\" is given twice"

/* Return true for a mapping. An empty value is accepted as a mapping without keys; report
 * others. */
static bool
is_mapping(struct confdoc *doc, const yaml_node_t *node)
{
	if (node->type != YAML_MAPPING_NODE && !is_null(node))
		confdoc_problem(doc, node, "a mapping (key: value) is expected here");
	return node->type == YAML_MAPPING_NODE;
}

static void
walk_mapping(struct confdoc *doc, yaml_node_t *node, const struct confdoc_key *keys, size_t count,
	size_t depth, void *target)
{
	if (!is_mapping(doc, node))
		return;
	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
		pair < node->data.mapping.pairs.top && !is_hopeless(doc); pair++) {
		const yaml_node_t *key = yaml_document_get_node(&doc->document, pair->key);
		yaml_node_t *value = yaml_document_get_node(&doc->document, pair->value);
		const char *name = key_text(doc, pair);
		size_t first = 0;
		while (first < count && !is_named(&keys[first], depth, name))
			first++;
		size_t last = first;
		while (last < count && is_named(&keys[last], depth, name))
			last++;

		size_t below = depth + strlen(name);
		if (first == count)
			report_unknown_key(doc, key, name, keys, count, depth);
		else if (is_repeated(doc, node, pair))
			confdoc_problem(doc, key, REPEATED, name);
		else if (keys[first].path[below] == '.')
			walk_mapping(doc, value, keys + first, last - first, below + 1, target);
		else
			set_value(doc, value, &keys[first], target);
	}
}

void
confdoc_mapping(struct confdoc *doc, yaml_node_t *node, const struct confdoc_key *keys,
	size_t count, void *target)
{
	walk_mapping(doc, node, keys, count, 0, target);
}

void
confdoc_pairs(struct confdoc *doc, yaml_node_t *node,
	void (*accept)(struct confdoc *doc, const yaml_node_t *key, const char *name,
		yaml_node_t *value, void *target),
	void *target)
{
	if (!is_mapping(doc, node))
		return;
	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
		pair < node->data.mapping.pairs.top && !is_hopeless(doc); pair++) {
		const yaml_node_t *key = yaml_document_get_node(&doc->document, pair->key);
		const char *name = key_text(doc, pair);
		if (is_repeated(doc, node, pair))
			confdoc_problem(doc, key, REPEATED, name);
		else
			accept(doc, key, name, yaml_document_get_node(&doc->document, pair->value),
				target);
	}
}

void
confdoc_sequence(struct confdoc *doc, yaml_node_t *node,
	void (*accept)(struct confdoc *doc, yaml_node_t *item, void *target), void *target)
{
	if (is_null(node))
		return;
	if (node->type != YAML_SEQUENCE_NODE) {
		confdoc_problem(doc, node, "a list is expected here");
		return;
	}
	for (const yaml_node_item_t *item = node->data.sequence.items.start;
		item < node->data.sequence.items.top && !is_hopeless(doc); item++)
		accept(doc, yaml_document_get_node(&doc->document, *item), target);
}
