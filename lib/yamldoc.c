/* yamldoc - a YAML file as a tree whose nodes know their line and column. */
#include "yamldoc.h"

#include "diag.h"
#include "num.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A configuration is a page or two; a file of this size is something else. */
#define FILE_MAX_BYTES (1 << 20)

/* Settings behind a `---` would otherwise be ignored without a word. */
static bool
is_last_document(yaml_parser_t *parser, const char *name)
{
	yaml_document_t next;
	if (!yaml_parser_load(parser, &next)) {
		diag_error("%s:%zu:%zu: %s", name, parser->problem_mark.line + 1,
			parser->problem_mark.column + 1,
			parser->problem != NULL ? parser->problem : "not YAML");
		return false;
	}
	const yaml_node_t *root = yaml_document_get_root_node(&next);
	if (root != NULL)
		diag_error("%s:%zu:%zu: a second document, where one is expected", name,
			root->start_mark.line + 1, root->start_mark.column + 1);
	bool last = root == NULL;
	yaml_document_delete(&next);
	return last;
}

enum yamldoc_status
yamldoc_open(struct yamldoc *doc, const char *path, const char *name)
{
	*doc = (struct yamldoc){.path = name};

	FILE *file = fopen(path, "re");
	if (file == NULL)
		return YAMLDOC_UNREADABLE;
	static char text[FILE_MAX_BYTES];
	size_t length = fread(text, 1, sizeof text, file);
	bool failed = ferror(file) != 0;
	int saved_errno = errno;
	fclose(file);
	if (failed || length == sizeof text) {
		errno = failed ? saved_errno : EFBIG;
		return YAMLDOC_UNREADABLE;
	}

	yaml_parser_t parser;
	if (!yaml_parser_initialize(&parser)) {
		errno = ENOMEM;
		return YAMLDOC_UNREADABLE;
	}
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	bool loaded = yaml_parser_load(&parser, &doc->document);
	if (!loaded)
		diag_error("%s:%zu:%zu: %s", name, parser.problem_mark.line + 1,
			parser.problem_mark.column + 1,
			parser.problem != NULL ? parser.problem : "not YAML");
	bool only = loaded && is_last_document(&parser, name);
	yaml_parser_delete(&parser);
	if (loaded && !only)
		yaml_document_delete(&doc->document);
	return only ? YAMLDOC_OK : YAMLDOC_MALFORMED;
}

void
yamldoc_close(struct yamldoc *doc)
{
	yaml_document_delete(&doc->document);
}

yaml_node_t *
yamldoc_root(struct yamldoc *doc)
{
	return yaml_document_get_root_node(&doc->document);
}

void
yamldoc_problem(struct yamldoc *doc, const yaml_node_t *node, const char *format, ...)
{
	char text[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	diag_error("%s:%zu:%zu: %s", doc->path, node->start_mark.line + 1,
		node->start_mark.column + 1, text);
	doc->problems++;
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
key_text(struct yamldoc *doc, const yaml_node_pair_t *pair)
{
	const yaml_node_t *key = yaml_document_get_node(&doc->document, pair->key);
	return key->type == YAML_SCALAR_NODE ? (const char *)key->data.scalar.value : "";
}

static bool
is_repeated(struct yamldoc *doc, const yaml_node_t *node, const yaml_node_pair_t *pair)
{
	for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; p < pair; p++) {
		if (strcmp(key_text(doc, p), key_text(doc, pair)) == 0)
			return true;
	}
	return false;
}

void
yamldoc_mapping(struct yamldoc *doc, yaml_node_t *node, const struct yamldoc_key *keys,
	size_t count, void *target)
{
	if (is_null(node))
		return;
	if (node->type != YAML_MAPPING_NODE) {
		yamldoc_problem(doc, node, "a mapping (key: value) is expected here");
		return;
	}
	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
		pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(&doc->document, pair->key);
		const char *name = key_text(doc, pair);
		size_t i = 0;
		while (i < count && strcmp(keys[i].name, name) != 0)
			i++;

		if (i == count)
			yamldoc_problem(doc, key, "unknown key \"%s\"", name);
		else if (is_repeated(doc, node, pair))
			yamldoc_problem(doc, key, "key \"%s\" is given twice", name);
		else
			keys[i].take(
				doc, yaml_document_get_node(&doc->document, pair->value), target);
	}
}

void
yamldoc_sequence(struct yamldoc *doc, yaml_node_t *node,
	void (*take)(struct yamldoc *doc, yaml_node_t *item, void *target), void *target)
{
	if (is_null(node))
		return;
	if (node->type != YAML_SEQUENCE_NODE) {
		yamldoc_problem(doc, node, "a list is expected here");
		return;
	}
	for (const yaml_node_item_t *item = node->data.sequence.items.start;
		item < node->data.sequence.items.top; item++)
		take(doc, yaml_document_get_node(&doc->document, *item), target);
}

yaml_node_t *
yamldoc_find(struct yamldoc *doc, yaml_node_t *node, const char *key)
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
yamldoc_text(struct yamldoc *doc, yaml_node_t *node)
{
	if (node->type != YAML_SCALAR_NODE) {
		yamldoc_problem(doc, node, "a single value is expected here");
		return NULL;
	}
	if (is_null(node)) {
		yamldoc_problem(doc, node, "a value is missing here (\"\" is the empty one)");
		return NULL;
	}
	const char *text = (const char *)node->data.scalar.value;
	if (strlen(text) != node->data.scalar.length) {
		yamldoc_problem(doc, node, "a NUL byte inside a value");
		return NULL;
	}
	return text;
}

void
yamldoc_bool(struct yamldoc *doc, yaml_node_t *node, bool *out)
{
	const char *text = yamldoc_text(doc, node);
	if (text == NULL)
		return;
	if (strcmp(text, "true") == 0)
		*out = true;
	else if (strcmp(text, "false") == 0)
		*out = false;
	else
		yamldoc_problem(doc, node, "\"%s\" is neither true nor false", text);
}

void
yamldoc_unsigned(struct yamldoc *doc, yaml_node_t *node, unsigned min, unsigned max, unsigned *out)
{
	uint64_t value;
	const char *text = yamldoc_text(doc, node);
	if (text == NULL)
		return;
	if (num_parse_u64(text, max, &value) != NUM_OK || value < min)
		yamldoc_problem(
			doc, node, "\"%s\" is not a whole number from %u to %u", text, min, max);
	else
		*out = (unsigned)value;
}

bool
yamldoc_word(struct yamldoc *doc, yaml_node_t *node, const char *what, const char *const *words,
	size_t count, size_t *index)
{
	const char *text = yamldoc_text(doc, node);
	if (text == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(text, words[i]) == 0) {
			*index = i;
			return true;
		}
	}
	yamldoc_problem(doc, node, "unknown %s \"%s\"", what, text);
	return false;
}
