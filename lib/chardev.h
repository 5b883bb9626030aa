/* chardev - the kinds of InfiniBand character devices, and what a scan says of one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CHARDEV_H
#define NHM_CHARDEV_H

#include <stdbool.h>

enum chardev_kind {
	CHARDEV_UVERBS, /* of a device */
	CHARDEV_UMAD,   /* of a port, as the one below */
	CHARDEV_ISSM,
	CHARDEV_KIND_N,
};

enum chardev_sight {
	CHARDEV_UNKNOWN, /* nobody looked, or the class cannot be listed */
	CHARDEV_MISSING,
	CHARDEV_PRESENT,
};

/* The kind's name in records and messages, its errorCode, and what names of its entries in sysfs
 * begin with: "uverbs", "umad" or "issm". */
const char *chardev_name(enum chardev_kind kind);

/* The kind of this name; CHARDEV_KIND_N when there is none. */
enum chardev_kind chardev_find(const char *name);

/* True for the link layer of a port whose device, and which itself, should have such nodes.
 * Nullable. */
bool chardev_is_infiniband(const char *link_layer);

#endif
