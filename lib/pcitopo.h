/* pcitopo - where the GPUs of this node are, and how near each RDMA device is to them, as the PCI
 * bus has it (spec#pci-distance). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PCITOPO_H
#define NHM_PCITOPO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* More RDMA devices than any machine has. */
#define PCITOPO_DEVICES_MAX 65536

/* True for what computes, whoever made it, in the words of the attributes `vendor` and `class`: not
 * what only shows a picture. Pure. */
bool pcitopo_is_gpu(const char *vendor, const char *class);

/* What the bus has, as GPU metadata: `gpus`, by their addresses, `nic_topology`, `addresses` of the
 * devices in that, and `unbound`: the same rows of known vendors' NICs that have no driver, by
 * their addresses. To be given back with json_decref(). `*reason` is NULL, or why nobody can tell
 * from this bus how near anything is. NULL with errno when something of it below `root` cannot be
 * read, which has been said of files. */
json_t *pcitopo_read_new(int root, const char **reason);

#endif
