/* sibling - the other programs of ours, which are installed beside the one that runs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SIBLING_H
#define NHM_SIBLING_H

#include "arguments.h"

#include <limits.h>

/* A directory, and a program's name. */
#define SIBLING_PATH_SIZE ((size_t)2 * PATH_MAX)

/* Sets `directory` to where this program is. 0, or -1 with errno. */
int sibling_directory(char directory[PATH_MAX]);

/* Sets `path` to where the program `name` is. 0, or -1 with errno. */
int sibling_path(const char *name, char path[SIBLING_PATH_SIZE]);

/* Becomes the program `name`, with these arguments, the first of which is what it calls itself: as
 * we do, since its messages are ours then. Returns the exit code for main() when that failed, after
 * one line on stderr: EXIT_OS when the program is not there or cannot be run, or memory ran out. */
int sibling_become(const char *name, const struct arguments *arguments);

/* What a program calls itself that `sibling` may have become: `sibling` if it is called so, else
 * `name`. Borrowed. */
const char *sibling_own_name(char *const *argv, const char *sibling, const char *name);

#endif
