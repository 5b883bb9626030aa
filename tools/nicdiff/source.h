/* source - reads the scans of a file of records, a capture, or a node's tree. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICDIFF_SOURCE_H
#define NICDIFF_SOURCE_H

#include "scan.h"

/* All zeros: no scans. */
struct source {
	const char *name;        /* for messages */
	int fd, pidfd;           /* records, and nhm-capture's pidfd; -1: none */
	struct scan first, last; /* `last` is set from the second scan on */
	struct scan open;        /* the scan being read */
	size_t count;            /* number of scans */
};

/* Open a file of records (NULL or "-": stdin), or start nhm-capture for anything else. `operand`
 * must outlive the source. Return the exit code, after a message. Call source_fini() in every
 * case. */
int source_open(struct source *source, const char *operand);

/* Read all scans. Return the exit code, after a message. */
int source_read(struct source *source);

/* Return the last scan, or NULL. */
const struct scan *source_last(const struct source *source);

void source_fini(struct source *source);

#endif
