/* arguments - the command line of another program, put together word by word. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ARGUMENTS_H
#define NHM_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* Begins as {0}. Its fields are those of this module. */
struct arguments {
	char **words; /* NULL-terminated */
	size_t count, capacity;
	bool failed; /* memory ran out */
};

/* Adds a copy of the word: first what the program is to call itself. */
void arguments_add(struct arguments *arguments, const char *word);

/* Adds `--name=value`; `--name` where the value is NULL. */
void arguments_add_option(struct arguments *arguments, const char *name, const char *value);

/* For execv(3) and the like, good until the next call; NULL when memory ran out in any call. */
char *const *arguments_argv(const struct arguments *arguments);

void arguments_fini(struct arguments *arguments);

#endif
