/* roster - which devices there are: those that class/infiniband lists. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_ROSTER_H
#define IBSCAN_ROSTER_H

#include "ibscan.h"

/* All zeros: nobody has looked yet. */
struct roster {
	struct device **devices; /* in natural order */
	size_t count;
	uint64_t change_ns; /* when a device last came or went, CLOCK_MONOTONIC */
	/* roster.c's */
	struct sysfs_kept class; /* the directory that lists them */
	uint64_t hash;           /* of what it had; 0: to be listed anew */
};

/* Lists what there is now: device->listed says so, and device->entry whether it is another one than
 * before. A device that is gone stays for as long as a reader is busy with it. 0, or -1 when memory
 * ran out; `*list_error` is the errno for which nothing could be listed, and then all is as it
 * was. */
int roster_update(
	struct roster *roster, int root, const struct scan_config *config, int *list_error);

/* A device of it could not be read: what is listed next is the directory that is there then. */
void roster_doubt(struct roster *roster);

/* No reader may be busy. */
void roster_fini(struct roster *roster);

#endif
