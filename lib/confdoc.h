/* confdoc - a configuration file as a tree whose nodes know their line and column: YAML, or TOML,
 * of which tomldoc makes the same tree.
 *
 * Every problem found is reported at once, as `FILE:LINE:COLUMN: reason`, and counted: a person
 * corrects a file in one go, not error by error. confdoc.c makes the tree, confkeys.c reads it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONFDOC_H
#define NHM_CONFDOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

/* A configuration is a page or two; a file of this size is something else. */
#define CONFDOC_MAX_BYTES (1 << 20)

struct confdoc {
	const char *path;
	bool is_toml; /* else YAML */
	yaml_document_t document;
	unsigned problems;
	bool starved; /* memory ran out, for which the file is not to blame */
};

enum confdoc_status {
	CONFDOC_OK,
	CONFDOC_UNREADABLE, /* errno says why; nothing was reported */
	CONFDOC_MALFORMED,  /* reported */
	CONFDOC_NO_MEMORY,  /* reported */
	CONFDOC_REFUSED,    /* others could have written it (ownfile); reported */
};

/* Reads and parses the file at `path`, which is kept, not copied: TOML if it ends with `.toml`,
 * else YAML. What it says can have a node drained, or keep faults from being seen, so nobody else
 * may be able to write it. Only after CONFDOC_OK is confdoc_close() needed. */
enum confdoc_status confdoc_open(struct confdoc *doc, const char *path);

/* The same for YAML that is already there; `name` is what messages call it. */
enum confdoc_status confdoc_parse(
	struct confdoc *doc, const char *name, const char *text, size_t length);

void confdoc_close(struct confdoc *doc);

/* The root node, or NULL for an empty file. Nodes belong to the document. */
yaml_node_t *confdoc_root(struct confdoc *doc);

/* Reports a problem at `node`. */
void confdoc_problem(struct confdoc *doc, const yaml_node_t *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reports that memory ran out, for which the file is not to blame. Always false. */
bool confdoc_no_memory(struct confdoc *doc);

/* What a key's value is, and what it becomes. */
enum confdoc_type {
	CONFDOC_ACCEPTED, /* what `accept` makes of it */
	CONFDOC_BOOL,     /* true or false: a bool */
	CONFDOC_UNSIGNED, /* a whole number from `min` to `max`: an unsigned */
	CONFDOC_DURATION, /* of at most `max` nanoseconds: a uint64_t of them */
	CONFDOC_WORD,     /* one of `count` `words`: its place, in an enum */
	CONFDOC_KNOWN,    /* read before the others, with confdoc_find() */
};

/* One key that a configuration may have. */
struct confdoc_key {
	/* its name, after the names of the keys above it: `homogeneity.settleSeconds` */
	const char *path;
	enum confdoc_type type;
	size_t target; /* where its value goes, as an offset in what confdoc_mapping() fills */
	unsigned min;
	uint64_t max;
	const char *const *words;
	size_t count;
	/* Gets what confdoc_mapping() fills, not a part of it. */
	void (*accept)(struct confdoc *doc, yaml_node_t *value, void *target);
};

/* Sets what the keys of a mapping say in `target`; unknown and repeated keys, values of another
 * type, and what is not a mapping, are problems. The message about an unknown key names the known
 * ones. An empty value stands for an empty mapping. Keys below the same one are next to each other
 * in `keys`. */
void confdoc_mapping(struct confdoc *doc, yaml_node_t *node, const struct confdoc_key *keys,
	size_t count, void *target);

/* Calls `accept` for each key of a mapping that may have any; a repeated one, and what is not a
 * mapping, are problems. */
void confdoc_pairs(struct confdoc *doc, yaml_node_t *node,
	void (*accept)(struct confdoc *doc, const yaml_node_t *key, const char *name,
		yaml_node_t *value, void *target),
	void *target);

/* Calls `accept` for each item; what is not a sequence is a problem. */
void confdoc_sequence(struct confdoc *doc, yaml_node_t *node,
	void (*accept)(struct confdoc *doc, yaml_node_t *item, void *target), void *target);

/* The value of `key` in a mapping. NULL when there is none, or it is not one. Reports nothing. */
yaml_node_t *confdoc_find(struct confdoc *doc, yaml_node_t *node, const char *key);

/* The text of a scalar, NULL (reported) for anything else. */
const char *confdoc_text(struct confdoc *doc, yaml_node_t *node);

/* Replaces `*out`, from malloc or NULL, with a copy of `text`. Without memory that is reported, and
 * `*out` is as it was. */
void confdoc_copy(struct confdoc *doc, const char *text, char **out);

/* One of `count` words; `*index` is its place. False (reported, as an unknown `what`, with what it
 * could be) for anything else, which leaves `*index` alone. */
bool confdoc_word(struct confdoc *doc, yaml_node_t *node, const char *what,
	const char *const *words, size_t count, size_t *index);

/* A duration as num_parse_duration() reads it, of at most `max_ns`; in nanoseconds. Anything else
 * is reported and leaves `*out_ns` alone. */
void confdoc_duration(struct confdoc *doc, yaml_node_t *node, uint64_t max_ns, uint64_t *out_ns);

#endif
