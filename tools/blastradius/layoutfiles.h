/* layoutfiles - the topology as files have it, which are read again when they have changed. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_LAYOUTFILES_H
#define BLASTRADIUS_LAYOUTFILES_H

#include "topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most files and directories, and bytes of a file. */
#define LAYOUTFILES_MAX 64
#define LAYOUTFILES_MAX_BYTES ((size_t)256 << 20)

struct layoutfiles {
	const char *paths[LAYOUTFILES_MAX]; /* files, or directories of them */
	size_t count;
	uint64_t seen; /* what tells them from others, as they were read last */
};

/* Reads all of them into an empty topology. What is wrong with one is said. 0, or the exit code to
 * end with: then the topology has a part of it. */
int layoutfiles_read(struct layoutfiles *files, struct topology *topology);

/* For an option's `accept`: one more path, which is kept, not copied. NULL, or why it will not do.
 */
const char *layoutfiles_add(struct layoutfiles *files, const char *path);

/* True when they are not as they were read last. */
bool layoutfiles_have_changed(const struct layoutfiles *files);

/* Reads them anew. True when the topology is that of the files now; otherwise it stays as it was,
 * which has been said. */
bool layoutfiles_read_anew(struct layoutfiles *files, struct topology *topology);

#endif
