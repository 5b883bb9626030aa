/* source - the scans of a file of records, of a capture, or of a node's tree. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICDIFF_SOURCE_H
#define NICDIFF_SOURCE_H

#include "scan.h"

/* All zeros: none. */
struct source {
	const char *name;        /* for messages */
	int fd, pidfd;           /* the records, and who writes them, -1: nobody of ours */
	struct scan first, last; /* `last` of the second scan on */
	struct scan open;        /* the one that is being read */
	size_t count;            /* of scans */
};

/* Opens a file of records, NULL or "-": stdin; what is none is left to nhm-capture, which is
 * started. `operand` is kept, not copied. What goes wrong is said; returns the exit code. Free with
 * source_fini() in every case. */
int source_open(struct source *source, const char *operand);

/* Reads all scans. What goes wrong is said; returns the exit code. */
int source_read(struct source *source);

/* The last scan; NULL: there is none. */
const struct scan *source_last(const struct source *source);

void source_fini(struct source *source);

#endif
