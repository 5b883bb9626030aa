/* pcitopo - finds the GPUs of this node and the distance of each RDMA device to them on the PCI bus
 * (spec#pci-distance). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PCITOPO_H
#define NHM_PCITOPO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* More RDMA devices than any machine has. */
#define PCITOPO_DEVICES_MAX 65536

/* Return whether the attributes `vendor` and `class` are those of a device that computes, of any
 * vendor, rather than one that only displays. Pure. */
bool pcitopo_is_gpu(const char *vendor, const char *class);

/* Return GPU metadata from sysfs at `root`: `gpus`, ordered by address; `nic_topology`; `addresses`
 * of the devices in that; and `unbound`: the rows of known vendors' NICs without a driver, and of
 * those on a GPU's switch without an RDMA device, by address. Free with json_decref(). `*reason` is
 * NULL, or why this bus shows no distances. Return NULL with errno if something cannot be read;
 * unreadable files have been reported. */
json_t *pcitopo_read_new(int root, const char **reason);

#endif
