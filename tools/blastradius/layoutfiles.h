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

/* True when they are not as they were read last. */
bool layoutfiles_have_changed(const struct layoutfiles *files);

#endif
