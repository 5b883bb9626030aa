/* layoutfiles - reads the topology files, again whenever they change. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_LAYOUTFILES_H
#define BLASTRADIUS_LAYOUTFILES_H

#include "opt.h"
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
	uint64_t seen;      /* hash of names, inodes, sizes and times when they were last read */
	uint64_t polled_ns; /* CLOCK_MONOTONIC: when they were last read or polled */
};

/* A row in a tool's table of options: adds a path to the member, a struct layoutfiles. The path is
 * not copied. */
#define LAYOUTFILES_OPTION(struct_type, member) \
	"topology", "FILE", \
		"read which port is on which switch from FILE, or from all files in it", \
		OPT_OTHER(layoutfiles_accept), \
		.offset = OPT_MEMBER(struct layoutfiles, struct_type, member)
const char *layoutfiles_accept(void *target, const struct opt_given *given);

/* Read all files into an empty topology. Problems are reported. Return 0, or the exit code; the
 * topology is then incomplete. */
int layoutfiles_read(struct layoutfiles *files, struct topology *topology);

/* Return true if five seconds have passed since the last poll or read, and the files differ from
 * when they were last read. */
bool layoutfiles_poll(struct layoutfiles *files);

/* Return how long a caller of layoutfiles_poll() may wait until the next call, ns; UINT64_MAX if
 * there are no files. */
uint64_t layoutfiles_patience_ns(const struct layoutfiles *files);

/* Reread the files. Return true and replace the topology, or report a problem, leave it unchanged
 * and return false. */
bool layoutfiles_read_anew(struct layoutfiles *files, struct topology *topology);

#endif
