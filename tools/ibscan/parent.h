/* parent - finds the RDMA device of which another one is a part (spec#sub-device). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_PARENT_H
#define IBSCAN_PARENT_H

#include <stdbool.h>
#include <stddef.h>

/* One of the RDMA devices on a PCI function. */
struct sibling {
	const char *name;
	bool verbs;   /* has a uverbs device */
	bool manages; /* has an issm device */
	size_t ports;
};

/* Return the parent of the device `self` among `siblings`, all devices of its function in natural
 * order. NULL: `self` has no parent. The result is one of the siblings' names. Pure. */
const char *parent_among(const struct sibling *siblings, size_t count, const char *self);

/* Find the parent in sysfs below `root` and return its name as a new string, or NULL. If memory or
 * descriptors run out, set `*shortage` (see sysfs_note_shortage()): the result is then invalid. */
char *parent_read_new(int root, const char *device, int *shortage);

#endif
