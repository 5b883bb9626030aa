/* roster - the list of devices in class/infiniband. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_ROSTER_H
#define IBSCAN_ROSTER_H

#include "ibscan.h"

/* All zeros: not listed yet. */
struct roster {
	struct device **devices; /* in natural order */
	size_t count;
	uint64_t change_ns; /* last time that a device appeared or disappeared, CLOCK_MONOTONIC */
	/* Private to roster.c. */
	struct sysfs_kept class; /* class/infiniband */
	uint64_t hash;           /* of its entries; 0: list it again */
};

/* List the devices. Set device->listed of each, and device->entry, which differs if the device was
 * replaced. A device that is gone stays while a reader is busy with it. Return 0, or -1 when memory
 * runs out. `*list_error`: 0, or the errno of listing the directory, and then the roster is
 * unchanged. */
int roster_update(
	struct roster *roster, int root, const struct scan_config *config, int *list_error);

/* Call it when a device could not be read: the class directory itself may have been replaced, so
 * the next update opens it again. */
void roster_doubt(struct roster *roster);

/* No reader may be busy with a device. */
void roster_fini(struct roster *roster);

#endif
