/* pcifn - reads attributes of PCI functions from sysfs, below bus/pci/devices. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PCIFN_H
#define NHM_PCIFN_H

#include "sysfs.h"

#include <stdint.h>

/* More PCI functions than any machine has. */
#define PCIFN_MAX 65536

/* include/linux/pci_ids.h */
#define PCIFN_VENDOR_MELLANOX "0x15b3"

/* Read the attribute `name` of `function`, a PCI address, below `root` into `text`. */
enum sysfs_status pcifn_read(
	int root, const char *function, const char *name, char *text, size_t size);

/* Copy the last component of the target of the function's link `name`, e.g. "driver". */
enum sysfs_status pcifn_link(
	int root, const char *function, const char *name, char *target, size_t size);

/* List the function's directory `name`, e.g. "net"; "." is the function's own directory. Free with
 * sysfs_names_fini(), also after a failure. */
enum sysfs_status pcifn_list(
	int root, const char *function, const char *name, struct sysfs_names *out);

/* Parse the attribute `numa_node` (`-1`, `0`, `8`). Return -1, unknown, for anything but one of at
 * most 1024 nodes. */
int64_t pcifn_numa_node(const char *text);

/* Return whether the attribute `class` is that of a network controller, of any vendor. */
bool pcifn_is_network(const char *class);

/* Return whether the attributes `vendor` and `class` are those of a Mellanox network controller. */
bool pcifn_is_nic(const char *vendor, const char *class);

/* Return whether the function, a network controller, leads to the card's own processor and not to a
 * network. The NICs' drivers do not bind to it, and it never has an RDMA device. */
bool pcifn_is_internal(int root, const char *function);

#endif
