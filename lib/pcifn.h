/* pcifn - the functions on the PCI bus, as sysfs shows them below bus/pci/devices. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PCIFN_H
#define NHM_PCIFN_H

#include "sysfs.h"

#include <stdint.h>

/* More PCI functions than any machine has. */
#define PCIFN_MAX 65536

/* include/linux/pci_ids.h */
#define PCIFN_VENDOR_MELLANOX "0x15b3"

/* Reads the attribute `name` of the function, a PCI address, below `root`, into `text`. */
enum sysfs_status pcifn_read(
	int root, const char *function, const char *name, char *text, size_t size);

/* The last component of where the function's link `name` leads, e.g. "driver". */
enum sysfs_status pcifn_link(
	int root, const char *function, const char *name, char *target, size_t size);

/* Lists the function's directory `name`, e.g. "net"; "." is the function's own. Free with
 * sysfs_names_fini(), also after a failure. */
enum sysfs_status pcifn_list(
	int root, const char *function, const char *name, struct sysfs_names *out);

/* `-1`, `0`, `8`, the attribute `numa_node`: one of at most 1024. Everything else is -1, unknown.
 */
int64_t pcifn_numa_node(const char *text);

/* True for network controllers of any vendor, in the words of the attribute `class`. */
bool pcifn_is_network(const char *class);

/* True for the network controllers of Mellanox, in the words of the attributes `vendor` and
 * `class`. */
bool pcifn_is_nic(const char *vendor, const char *class);

#endif
