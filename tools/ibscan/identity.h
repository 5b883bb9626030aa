/* identity - PCI function, names and network interfaces of a device, read when it is opened. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_IDENTITY_H
#define IBSCAN_IDENTITY_H

#include "ibscan.h"

/* Return what the links of class/infiniband/<device> show even if the device hangs: its PCI
 * function, also if the device is gone, so that the card of an unreadable device is known, and
 * whether it is a NIC that should be readable. NULL only when memory or descriptors run out
 * (errno). Free with identity_free(). */
struct identity *identity_of_entry_new(int root, const char *device);

/* Read the identity of class/infiniband/<device> below `root`. Members that sysfs lacks are NULL.
 * Return NULL only when memory or descriptors run out (errno). Free with identity_free(). */
struct identity *identity_read_new(int root, const char *device);

/* Accepts NULL. */
void identity_free(struct identity *identity);

/* Return the interface of port `number`, out of the device's own: the one that the kernel's GID
 * table names (`gid_netdev`, may be NULL), else the one with a matching dev_port, else for port 1
 * the first. Never a representor. NULL: none. The string belongs to `identity`. */
const char *identity_port_netdev(
	const struct identity *identity, unsigned number, const char *gid_netdev);

#endif
