/* arguments - builds the command line of another program, word by word. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ARGUMENTS_H
#define NHM_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* Initialise with {0}. The members are private to arguments.c. */
struct arguments {
	char **words; /* NULL-terminated */
	size_t count, capacity;
	bool failed; /* memory ran out */
};

/* Append a copy of the word. The first word is the program's argv[0]. */
void arguments_add(struct arguments *arguments, const char *word);

/* Append `--name=value`, or `--name` if `value` is NULL. */
void arguments_add_option(struct arguments *arguments, const char *name, const char *value);

/* Return the argument vector for execv(3), valid until the next call, or NULL if any call ran out
 * of memory. */
char *const *arguments_argv(const struct arguments *arguments);

void arguments_fini(struct arguments *arguments);

#endif
