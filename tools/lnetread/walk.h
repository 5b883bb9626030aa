/* walk - a YAML text as a series of values, each with the path of keys that leads to it. Pure.
 *
 * No tree is made of the text, so its size decides nothing but the time. Items of a sequence have
 * the path of the sequence: `net/local NI(s)/health stats/timeouts`. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_WALK_H
#define NHM_LNETREAD_WALK_H

#include <stdbool.h>
#include <stddef.h>

/* lnetctl nests six deep. libyaml's time grows with the square of the depth. */
#define WALK_DEPTH_MAX 16

/* Each command of lnetctl ends with at most one line `...`. A parser is made for each part. */
#define WALK_PARTS_MAX 64

/* Longest path with its NUL, bytes; what is below a longer one is skipped. */
#define WALK_PATH_SIZE 256

struct walk_error {
	size_t line;        /* from 1; 0 when memory ran out */
	const char *reason; /* a literal */
	bool no_memory;
};

/* What is done with what is found; each gets the caller's `context`. */
struct walk_handler {
	/* A sequence or mapping begins: the value at this path, or an item of the sequence there.
	 */
	void (*begin)(void *context, const char *path, bool is_item);
	/* A value: a text without a NUL, "" for none. */
	void (*value)(void *context, const char *path, const char *text);
};

/* Walks through all YAML documents of the text, also where `---` is missing after `...`. False with
 * `*error` filled when it is not YAML, is too deep, has an alias or a NUL, or memory ran out; what
 * was found before has been handled. */
bool walk(const char *text, size_t length, const struct walk_handler *handler, void *context,
	struct walk_error *error);

#endif
