/* sibling - finds and executes programs of this project, installed beside the running one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SIBLING_H
#define NHM_SIBLING_H

#include "arguments.h"

#include <limits.h>

/* Size of a directory's path and a program's name. */
#define SIBLING_PATH_SIZE ((size_t)2 * PATH_MAX)

/* Set `directory` to the directory of this program. Return 0, or -1 with errno. */
int sibling_directory(char directory[PATH_MAX]);

/* Set `path` to the path of the program `name`. Return 0, or -1 with errno. */
int sibling_path(const char *name, char path[SIBLING_PATH_SIZE]);

/* Execute the program `name` in place of this one. The first argument is its name in messages: pass
 * our own, since its messages count as ours. On failure print one line on stderr and return the
 * exit code for main(): EXIT_OS if the program is missing or cannot be run, or memory ran out. */
int sibling_become(const char *name, const struct arguments *arguments);

/* Return the name that a program uses for itself: `sibling` if argv[0] is that name, because
 * `sibling` executed it by sibling_become(), else `name`. Borrowed. */
const char *sibling_own_name(char *const *argv, const char *sibling, const char *name);

#endif
