/* pcipath - parses PCI paths from sysfs and computes the distance of two functions
 * (spec#pci-distance). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PCIPATH_H
#define NHM_PCIPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes of a function's address and of a root bus's name, with the NUL. */
#define PCIPATH_ADDRESS_SIZE sizeof "00000000:00:00.0"
#define PCIPATH_ROOT_SIZE sizeof "pci00000000:00"

/* More functions than any path has: a bus number has 8 bits, and more than three switches behind
 * each other are rare. */
#define PCIPATH_DEPTH_MAX 32

struct pcipath {
	char root[PCIPATH_ROOT_SIZE]; /* "pci0000:40", the root bus; "": not in the path */
	/* bridges, beginning at the root bus, then the function itself */
	char functions[PCIPATH_DEPTH_MAX][PCIPATH_ADDRESS_SIZE];
	size_t count;
};

/* Distance of two functions, nearest first, in the terms of `nvidia-smi topo -m`. */
enum pcipath_distance {
	PCIPATH_PIX,  /* at most one bridge on either side below the shared ones */
	PCIPATH_PXB,  /* more bridges */
	PCIPATH_PHB,  /* only the root bus in common */
	PCIPATH_NODE, /* different root buses of one NUMA node */
	PCIPATH_SYS,
	PCIPATH_DISTANCE_N
};
extern const char *const pcipath_distances[PCIPATH_DISTANCE_N];

/* Return whether it is `dddd:bb:dd.f`, hexadecimal; a domain may have 4 to 8 digits. */
bool pcipath_is_address(const char *text);

/* Parse a path such as the target of bus/pci/devices/<address> or class/infiniband/<device>. Ignore
 * components that are neither a root bus nor an address. Return false if the path has no address,
 * or more than PCIPATH_DEPTH_MAX. */
bool pcipath_parse(struct pcipath *out, const char *path);

/* Return the address of the function itself, the last one. */
const char *pcipath_function(const struct pcipath *path);

/* Compute the distance. `numa_a` and `numa_b` are the functions' NUMA nodes, -1 if unknown. */
enum pcipath_distance pcipath_distance(
	const struct pcipath *a, int64_t numa_a, const struct pcipath *b, int64_t numa_b);

#endif
