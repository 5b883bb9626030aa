/* layoutfiles - reads the topology files, again whenever they change. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_LAYOUTFILES_H
#define BLASTRADIUS_LAYOUTFILES_H

#include "topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits: files and directories, bytes of a file. */
#define LAYOUTFILES_MAX 64
#define LAYOUTFILES_MAX_BYTES ((size_t)256 << 20)

struct layoutfiles {
	const char *paths[LAYOUTFILES_MAX]; /* files, or directories of files */
	size_t count;
	uint64_t seen; /* hash of names, inodes, sizes and times when they were last read */
};

/* Read all files into an empty topology. Problems are reported. Return 0, or the exit code; the
 * topology is then incomplete. */
int layoutfiles_read(struct layoutfiles *files, struct topology *topology);

/* For an option's `accept`: add a path, which must outlive `files`. Return NULL, or why it is not
 * accepted. */
const char *layoutfiles_add(struct layoutfiles *files, const char *path);

/* Return true if the files differ from when they were last read. */
bool layoutfiles_have_changed(const struct layoutfiles *files);

/* Reread the files. Return true and replace the topology, or report a problem, leave it unchanged
 * and return false. */
bool layoutfiles_read_anew(struct layoutfiles *files, struct topology *topology);

#endif
