/* identity - what a device is: its PCI function, names, and network interfaces. Read when a device
 * is opened. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_IDENTITY_H
#define IBSCAN_IDENTITY_H

#include "ibscan.h"

/* What the entry class/infiniband/<device> itself tells, even of a device that is gone or hangs:
 * the PCI function, because the card of a device that cannot be read must be known. NULL only when
 * memory or descriptors run out (errno). Free with identity_free(). */
struct identity *identity_of_entry_new(int root, const char *device);

/* Reads the identity of class/infiniband/<device> below `root`. What sysfs does not have is NULL
 * there. NULL only when memory or descriptors run out (errno). Free with identity_free(). */
struct identity *identity_read_new(int root, const char *device);

/* NULL is allowed. */
void identity_free(struct identity *identity);

/* The interface of port `number` of the device: among the device's own, the one the kernel's GID
 * table names (`gid_netdev`, nullable), else the one whose dev_port fits, else for port 1 the
 * first; representors never. NULL when there is none. Belongs to `identity`. */
const char *identity_port_netdev(
	const struct identity *identity, unsigned number, const char *gid_netdev);

#endif
