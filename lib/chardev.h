/* chardev - the kinds of InfiniBand character devices and their state in a scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CHARDEV_H
#define NHM_CHARDEV_H

#include <stdbool.h>

enum chardev_kind {
	CHARDEV_UVERBS, /* one per device */
	CHARDEV_UMAD,   /* one per port, like CHARDEV_ISSM */
	CHARDEV_ISSM,
	CHARDEV_KIND_N,
};

enum chardev_sight {
	CHARDEV_UNKNOWN, /* not checked, or the class cannot be listed */
	CHARDEV_MISSING,
	CHARDEV_PRESENT,
};

/* Return the kind's name in records and messages, which is also its errorCode and the prefix of its
 * entries in sysfs: "uverbs", "umad" or "issm". */
const char *chardev_name(enum chardev_kind kind);

/* Return the kind of this name, or CHARDEV_KIND_N if there is none. */
enum chardev_kind chardev_find(const char *name);

/* Return true if a port with this link layer, and its device, should have these character devices.
 * `link_layer` may be NULL. */
bool chardev_is_infiniband(const char *link_layer);

#endif
