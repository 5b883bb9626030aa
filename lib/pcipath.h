/* pcipath - where a function is on the PCI bus, as paths of sysfs say it, and how far two functions
 * are apart (spec#pci-distance). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PCIPATH_H
#define NHM_PCIPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for the address of a function, and for the name of a root bus, each with a NUL. */
#define PCIPATH_ADDRESS_SIZE sizeof "00000000:00:00.0"
#define PCIPATH_ROOT_SIZE sizeof "pci00000000:00"

/* More functions than are ever behind each other: a bus has at most 256 numbers, and switches with
 * switches behind them are rarely more than three. */
#define PCIPATH_DEPTH_MAX 32

struct pcipath {
	char root[PCIPATH_ROOT_SIZE]; /* "pci0000:40", the root bus; "" when the path names none */
	/* bridges, from the root bus on, and then the function itself */
	char functions[PCIPATH_DEPTH_MAX][PCIPATH_ADDRESS_SIZE];
	size_t count;
};

/* How far two functions are apart, nearest first; the words are those of `nvidia-smi topo -m`. */
enum pcipath_distance {
	PCIPATH_PIX,  /* at most one bridge on either side of what they have in common */
	PCIPATH_PXB,  /* more bridges */
	PCIPATH_PHB,  /* nothing but the root bus in common */
	PCIPATH_NODE, /* root buses of one NUMA node */
	PCIPATH_SYS,
	PCIPATH_DISTANCE_N
};
extern const char *const pcipath_distances[PCIPATH_DISTANCE_N];

/* True for `dddd:bb:dd.f`, hexadecimal; domains may be longer than four digits. */
bool pcipath_is_address(const char *text);

/* Takes apart a path such as where the link bus/pci/devices/<address> or class/infiniband/<device>
 * leads. Components that are neither a root bus nor an address do not count. False when there is no
 * address in it, or more of them than PCIPATH_DEPTH_MAX. */
bool pcipath_parse(struct pcipath *out, const char *path);

/* The function itself, which is the last one. */
const char *pcipath_function(const struct pcipath *path);

/* `numa_a` and `numa_b` are the functions' NUMA nodes, -1 when not known. */
enum pcipath_distance pcipath_distance(
	const struct pcipath *a, int64_t numa_a, const struct pcipath *b, int64_t numa_b);

#endif
