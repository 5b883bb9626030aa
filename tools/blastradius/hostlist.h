/* hostlist - names of hosts as Slurm and others write them together: `node[001-016,20],login1`.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_HOSTLIST_H
#define BLASTRADIUS_HOSTLIST_H

#include "strbuf.h"

#include <stdbool.h>

/* Most names that a list stands for, and bytes of one with its NUL. */
#define HOSTLIST_NAMES_MAX 65536
#define HOSTLIST_NAME_SIZE 256

/* Calls `accept` for each name, until it says something else than 0, which is returned. 0; or 1
 * when the text is no such list, or one of too many names: some of them may have been accepted. */
int hostlist_expand(
	const char *text, int (*accept)(void *context, const char *name), void *context);

/* Writes names together, as such a list, into `out`. Sorts them. False when memory ran out. */
bool hostlist_compress(const char **names, size_t count, struct strbuf *out);

#endif
