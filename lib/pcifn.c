/* pcifn - reads attributes of PCI functions from sysfs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pcifn.h"

#include "array.h"
#include "num.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* include/linux/pci_ids.h. The `class` file holds base class, subclass and programming interface,
 * one byte each. */
#define BASE_CLASS_NETWORK 0x02
#define CLASS_SERIAL_INFINIBAND 0x0c06

/* The kernel has at most 1 << NODES_SHIFT NUMA nodes (CONFIG_NODES_SHIFT, at most 10). */
#define NUMA_NODES 1024

/* Format bus/pci/devices/<function>/<name>. Return false, with errno, if it exceeds PATH_MAX. */
static bool
make_path(const char *function, const char *name, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "bus/pci/devices/%s/%s", function, name);
	if (n > 0 && n < PATH_MAX)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

enum sysfs_status
pcifn_read(int root, const char *function, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];
	return make_path(function, name, path) ? sysfs_read_plain(root, path, text, size)
					       : SYSFS_UNREADABLE;
}

enum sysfs_status
pcifn_link(int root, const char *function, const char *name, char *target, size_t size)
{
	char path[PATH_MAX];
	return make_path(function, name, path) ? sysfs_link_name(root, path, target, size)
					       : SYSFS_UNREADABLE;
}

enum sysfs_status
pcifn_list(int root, const char *function, const char *name, struct sysfs_names *out)
{
	char path[PATH_MAX];

	*out = (struct sysfs_names){0};
	return make_path(function, name, path) ? sysfs_list_path(root, path, PCIFN_MAX, out)
					       : SYSFS_UNREADABLE;
}

int64_t
pcifn_numa_node(const char *text)
{
	uint64_t value;
	return num_parse_u64(text, NUMA_NODES - 1, &value) == NUM_OK ? (int64_t)value : -1;
}

bool
pcifn_is_network(const char *class)
{
	uint64_t value;
	return num_parse_hex(class, UINT64_MAX, &value) == NUM_OK &&
	       (value >> 16 == BASE_CLASS_NETWORK || value >> 8 == CLASS_SERIAL_INFINIBAND);
}

bool
pcifn_is_nic(const char *vendor, const char *class)
{
	return strcmp(vendor, PCIFN_VENDOR_MELLANOX) == 0 && pcifn_is_network(class);
}

bool
pcifn_is_internal(int root, const char *function)
{
	/* https://pci-ids.ucw.cz: a BlueField's Auxiliary Communication Channel; a Pensando DSC's
	 * Management Controller. */
	static const struct {
		const char *vendor, *device;
	} kinds[] = {{PCIFN_VENDOR_MELLANOX, "0xc2d1"}, {"0x1dd8", "0x1004"}};
	char vendor[SYSFS_TEXT_MAX], device[SYSFS_TEXT_MAX];

	if (pcifn_read(root, function, "vendor", vendor, sizeof vendor) != SYSFS_OK ||
		pcifn_read(root, function, "device", device, sizeof device) != SYSFS_OK)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (strcmp(vendor, kinds[i].vendor) == 0 && strcmp(device, kinds[i].device) == 0)
			return true;
	}
	return false;
}
