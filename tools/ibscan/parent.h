/* parent - which RDMA device another one is a part of (spec#sub-device). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_PARENT_H
#define IBSCAN_PARENT_H

#include <stdbool.h>
#include <stddef.h>

/* One of the RDMA devices on a PCI function. */
struct sibling {
	const char *name;
	bool verbs;   /* has a node for verbs */
	bool manages; /* has a node for a subnet manager */
	size_t ports;
};

/* The parent of the device `self` among those that share its function, in natural order; NULL when
 * it is a device in its own right. The result is one of the siblings' names. Pure. */
const char *parent_among(const struct sibling *siblings, size_t count, const char *self);

/* The same, looked up in sysfs below `root`, as a new string. When memory or descriptors run out,
 * that is noted, see sysfs_note_shortage(), and the result means nothing. */
char *parent_read_new(int root, const char *device, int *shortage);

#endif
