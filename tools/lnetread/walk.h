/* walk - parses YAML and calls a handler for each value, with its path of keys. Pure.
 *
 * No tree is built, so memory use does not grow with the text. Items of a sequence have the path of
 * the sequence: `net/local NI(s)/health stats/timeouts`. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_WALK_H
#define NHM_LNETREAD_WALK_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum nesting; lnetctl uses six levels. libyaml's time grows with the square of the depth. */
#define WALK_DEPTH_MAX 16

/* Maximum of parts that end with a line `...`, each of which gets its own parser. Each command of
 * lnetctl prints at most one such line. */
#define WALK_PARTS_MAX 64

/* Size of a path with its NUL, bytes. Values below a longer path are skipped. */
#define WALK_PATH_SIZE 256

struct walk_error {
	size_t line;        /* from 1; 0: memory ran out */
	const char *reason; /* a literal */
	bool no_memory;
};

/* Callbacks; each gets the caller's `context`. */
struct walk_handler {
	/* A sequence or mapping begins at this path; `is_item`: as an item of the sequence
	 * there. */
	void (*begin)(void *context, const char *path, bool is_item);
	/* A scalar value: a string without NUL bytes, "" for none. */
	void (*value)(void *context, const char *path, const char *text);
};

/* Parse all YAML documents of the text, even if `---` is missing after `...`. Return false and fill
 * `*error` if the text is not YAML, is nested too deeply, has an alias, a NUL byte or too many
 * parts, or if memory runs out; the handler was already called for the values before the error. */
bool walk(const char *text, size_t length, const struct walk_handler *handler, void *context,
	struct walk_error *error);

#endif
