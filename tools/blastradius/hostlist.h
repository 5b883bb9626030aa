/* hostlist - expands and compresses lists of host names in Slurm's form: `node[001-016,20],login1`.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_HOSTLIST_H
#define BLASTRADIUS_HOSTLIST_H

#include "strbuf.h"

#include <stdbool.h>

/* Limits: names in a list, bytes of a name with its NUL. */
#define HOSTLIST_NAMES_MAX 65536
#define HOSTLIST_NAME_SIZE 256

/* Call `accept` for each name until it returns nonzero, and return that value. Otherwise return 0,
 * or 1 if the text is malformed or has too many names; some names may have been accepted then. */
int hostlist_expand(
	const char *text, int (*accept)(void *context, const char *name), void *context);

/* Append the names as such a list to `out`. Sorts them. Return false when memory ran out. */
bool hostlist_compress(const char **names, size_t count, struct strbuf *out);

#endif
