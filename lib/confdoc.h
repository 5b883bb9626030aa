/* confdoc - parses a configuration file into a tree whose nodes know their line and column. The
 * file is YAML, or TOML, which tomldoc converts to the same tree.
 *
 * All problems are reported in one run, as `FILE:LINE:COLUMN: reason`, and counted, so that a
 * person can fix the file in one go. confdoc.c builds the tree, confkeys.c evaluates it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONFDOC_H
#define NHM_CONFDOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

/* Configurations are one or two pages; a file of this size is something else. */
#define CONFDOC_MAX_BYTES (1 << 20)

struct confdoc {
	const char *path;
	bool is_toml; /* else YAML */
	yaml_document_t document;
	unsigned problems;
	bool starved; /* memory ran out; the file may be fine */
};

enum confdoc_status {
	CONFDOC_OK,
	CONFDOC_UNREADABLE, /* errno has the reason; not reported */
	CONFDOC_MALFORMED,  /* reported */
	CONFDOC_NO_MEMORY,  /* reported */
	CONFDOC_REFUSED,    /* other users can write it (ownfile); reported */
};

/* Read and parse the file at `path`, as TOML if its name ends with `.toml`, else as YAML. The
 * pointer `path` is kept. Reject a file that other users can write, because it can drain nodes or
 * hide faults. Call confdoc_close() only after CONFDOC_OK. */
enum confdoc_status confdoc_open(struct confdoc *doc, const char *path);

/* Parse a YAML text instead; messages call it `name`. */
enum confdoc_status confdoc_parse(
	struct confdoc *doc, const char *name, const char *text, size_t length);

void confdoc_close(struct confdoc *doc);

/* Return the root node, or NULL for an empty file. Nodes belong to the document. */
yaml_node_t *confdoc_root(struct confdoc *doc);

/* Report a problem at `node`. */
void confdoc_problem(struct confdoc *doc, const yaml_node_t *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Report that memory ran out. Always returns false. */
bool confdoc_no_memory(struct confdoc *doc);

/* Type of a key's value, and what it becomes in the target. */
enum confdoc_type {
	CONFDOC_ACCEPTED, /* parsed by `accept` */
	CONFDOC_BOOL,     /* true or false; a bool */
	CONFDOC_UNSIGNED, /* a whole number from `min` to `max`; an unsigned */
	CONFDOC_DURATION, /* at most `max` nanoseconds; a uint64_t of them */
	CONFDOC_WORD,     /* one of `count` `words`; its index, an enum */
	CONFDOC_KNOWN,    /* not set here: the caller reads it with confdoc_find() */
};

/* One key that a configuration may have. */
struct confdoc_key {
	/* full name with the keys above it: `homogeneity.settleSeconds` */
	const char *path;
	enum confdoc_type type;
	size_t target; /* offset of the value in the target of confdoc_mapping() */
	unsigned min;
	uint64_t max;
	const char *const *words;
	size_t count;
	/* gets the target of confdoc_mapping(), not a member of it */
	void (*accept)(struct confdoc *doc, yaml_node_t *value, void *target);
};

/* Set the members of `target` from the keys of a mapping. Report unknown and repeated keys, values
 * of a wrong type, and nodes that are not mappings; the message about an unknown key lists the
 * known ones. An empty value counts as an empty mapping. Keys with the same parent must be adjacent
 * in `keys`. */
void confdoc_mapping(struct confdoc *doc, yaml_node_t *node, const struct confdoc_key *keys,
	size_t count, void *target);

/* Call `accept` for each key of a mapping with arbitrary keys. Report repeated keys, and nodes that
 * are not mappings. */
void confdoc_pairs(struct confdoc *doc, yaml_node_t *node,
	void (*accept)(struct confdoc *doc, const yaml_node_t *key, const char *name,
		yaml_node_t *value, void *target),
	void *target);

/* Call `accept` for each item. Report nodes that are not sequences. */
void confdoc_sequence(struct confdoc *doc, yaml_node_t *node,
	void (*accept)(struct confdoc *doc, yaml_node_t *item, void *target), void *target);

/* Return the value of `key`, or NULL if there is none or `node` is not a mapping. Reports
 * nothing. */
yaml_node_t *confdoc_find(struct confdoc *doc, yaml_node_t *node, const char *key);

/* Return the text of a scalar; report anything else and return NULL. */
const char *confdoc_text(struct confdoc *doc, yaml_node_t *node);

/* Replace `*out`, which is from malloc or NULL, with a copy of `text`. If memory runs out, report
 * it and leave `*out` unchanged. */
void confdoc_copy(struct confdoc *doc, const char *text, char **out);

/* Set `*index` to the index of the node's text in `words`. If it is none of them, report an unknown
 * `what` with the possible words, leave `*index` unchanged and return false. */
bool confdoc_word(struct confdoc *doc, yaml_node_t *node, const char *what,
	const char *const *words, size_t count, size_t *index);

/* Parse a duration as num_parse_duration() does, at most `max_ns`, in nanoseconds. Report anything
 * else and leave `*out_ns` unchanged. */
void confdoc_duration(struct confdoc *doc, yaml_node_t *node, uint64_t max_ns, uint64_t *out_ns);

#endif
