/* yamldoc - a YAML file as a tree whose nodes know their line and column (libyaml does the YAML).
 *
 * Every problem found is reported at once, as `FILE:LINE:COLUMN: reason`, and counted: a person corrects a file in one
 * go, not error by error. */
#ifndef NHM_YAMLDOC_H
#define NHM_YAMLDOC_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

struct yamldoc {
	const char *path;
	yaml_document_t document;
	unsigned problems;
};

enum yamldoc_status {
	YAMLDOC_OK,
	YAMLDOC_UNREADABLE, /* errno says why; nothing was reported */
	YAMLDOC_MALFORMED,  /* reported */
};

/* Reads and parses the file at `path`; messages call it `name`, which is kept, not copied. Only after YAMLDOC_OK is yamldoc_close() needed. */
enum yamldoc_status yamldoc_open(struct yamldoc *doc, const char *path, const char *name);

void yamldoc_close(struct yamldoc *doc);

/* The root node, or NULL for an empty file. Nodes belong to the document. */
yaml_node_t *yamldoc_root(struct yamldoc *doc);

/* Reports a problem at `node`. */
void yamldoc_problem(struct yamldoc *doc, const yaml_node_t *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* One key that a mapping may have, and what takes its value. */
struct yamldoc_key {
	const char *name;
	void (*take)(struct yamldoc *doc, yaml_node_t *value, void *target);
};

/* Hands each value of a mapping to its key's taker; unknown and repeated keys, and what is no mapping, are problems.
 * An empty value stands for an empty mapping. */
void yamldoc_mapping(struct yamldoc *doc, yaml_node_t *node, const struct yamldoc_key *keys,
	size_t count, void *target);

/* Calls `take` for each item; what is no sequence is a problem. */
void yamldoc_sequence(struct yamldoc *doc, yaml_node_t *node,
	void (*take)(struct yamldoc *doc, yaml_node_t *item, void *target), void *target);

/* The value of `key` in a mapping, NULL when there is none or it is no mapping. Reports nothing. */
yaml_node_t *yamldoc_find(struct yamldoc *doc, yaml_node_t *node, const char *key);

/* The text of a scalar, NULL (reported) for anything else. */
const char *yamldoc_text(struct yamldoc *doc, yaml_node_t *node);

/* Typed scalars; anything else is reported and leaves `*out` alone. */
void yamldoc_bool(struct yamldoc *doc, yaml_node_t *node, bool *out);

/* One of `count` words; `*index` is its place. False (reported, as an unknown `what`) for anything else. */
bool yamldoc_word(struct yamldoc *doc, yaml_node_t *node, const char *what,
	const char *const *words, size_t count, size_t *index);

/* A whole number from `min` to `max`. */
void yamldoc_unsigned(
	struct yamldoc *doc, yaml_node_t *node, unsigned min, unsigned max, unsigned *out);

#endif
