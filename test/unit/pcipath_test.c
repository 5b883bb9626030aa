/* Unit tests of pcipath: the place of a function on the PCI bus, and the distance of two
 * functions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pcipath.h"

#include "check.h"

#include <stdio.h>

static void
pci_address(void)
{
	static const char *const good[] = {"0000:18:00.0", "0000:18:00.7", "ffff:ff:1f.7",
		"FFFF:AB:0c.1", "10000:e1:00.0", "00010000:00:00.0"};
	static const char *const bad[] = {"", "18:00.0", "000:18:00.0", "123456789:18:00.0",
		"0000:18:00.8", "0000:18:00.", "0000:18:00", "0000:18:00.00", "0000:1:00.0",
		"0000:118:00.0", "0000:18:0.0", "0000:18:000.0", "0000-18-00.0", "0000:18:00:0",
		"0000:18:00.0 ", " 0000:18:00.0", "0000:18:00.0/x", "g000:18:00.0", "0000:1g:00.0",
		"0x0000:18:00.0", "mlx5_core.sf.2", "../../../etc"};
	for (size_t i = 0; i < CHECK_COUNT(good); i++) {
		check_row("\"%s\"", good[i]);
		CHECK(pcipath_is_address(good[i]));
	}
	for (size_t i = 0; i < CHECK_COUNT(bad); i++) {
		check_row("\"%s\"", bad[i]);
		CHECK(!pcipath_is_address(bad[i]));
	}
}

static void
last_function(void)
{
	static const struct {
		const char *path, *root, *function;
	} rows[] = {
		{"../../devices/pci0000:40/0000:40:01.0/0000:47:00.1/infiniband/mlx5_2",
			"pci0000:40", "0000:47:00.1"},
		{"../../devices/pci0000:40/0000:40:01.0/0000:47:00.1/mlx5_core.sf.2/infiniband/m",
			"pci0000:40", "0000:47:00.1"},
		{"../../../devices/platform/bus@0/pci0007:00/0007:00:00.0/0007:01:00.0",
			"pci0007:00", "0007:01:00.0"},
		{"pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:01.0/10000:e1:00.0", "pci10000:e0",
			"10000:e1:00.0"},
		{"0000:47:00.1", "", "0000:47:00.1"},
		{"/0000:47:00.1/", "", "0000:47:00.1"},
		{"longer-than-an-address/10000:e1:00.0", "", "10000:e1:00.0"},
		{"00010000:e1:00.0/00010000:e1:00.01", "", "00010000:e1:00.0"},
		{"pci0000:4/0000:47:00.1", "", "0000:47:00.1"},
		{"pci0000:400/0000:47:00.1", "", "0000:47:00.1"},
		{"pci000:40/0000:47:00.1", "", "0000:47:00.1"},
		{"pci123456789:40/0000:47:00.1", "", "0000:47:00.1"},
		{"../../devices/virtual/infiniband/rxe0", NULL, NULL},
		{"../../devices/pci0000:40/0000:40:01/infiniband", NULL, NULL},
		{"pci0000:40", NULL, NULL},
		{"", NULL, NULL},
		{"///", NULL, NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct pcipath path;
		check_row("%s", rows[i].path);
		bool is = rows[i].function != NULL;
		if (CHECK_INT(pcipath_parse(&path, rows[i].path), is) && is) {
			CHECK_STR(path.root, rows[i].root);
			CHECK_STR(pcipath_function(&path), rows[i].function);
		}
	}
}

static void
depth(void)
{
	char text[(PCIPATH_DEPTH_MAX + 1) * PCIPATH_ADDRESS_SIZE] = "";
	struct pcipath path;
	for (int i = 0; i < PCIPATH_DEPTH_MAX; i++)
		strcat(text, "0000:00:00.0/");
	CHECK(pcipath_parse(&path, text));
	CHECK_INT((int64_t)path.count, PCIPATH_DEPTH_MAX);
	strcat(text, "0000:00:00.0");
	CHECK(!pcipath_parse(&path, text));
}

/* Check the distance of two paths below /sys/devices, in either order. */
static void
check_distance(const char *a, int64_t numa_a, const char *b, int64_t numa_b,
	enum pcipath_distance distance)
{
	struct pcipath path_a, path_b;
	check_row("%s %s", a, b);
	CHECK(pcipath_parse(&path_a, a));
	CHECK(pcipath_parse(&path_b, b));
	CHECK_STR(pcipath_distances[pcipath_distance(&path_a, numa_a, &path_b, numa_b)],
		pcipath_distances[distance]);
	CHECK_STR(pcipath_distances[pcipath_distance(&path_b, numa_b, &path_a, numa_a)],
		pcipath_distances[distance]);
}

/* The ports of a switch below the root port 0000:40:01.0, and those of a switch behind its first
 * port. */
#define SWITCH "pci0000:40/0000:40:01.0/0000:41:00.0/"
#define BEHIND SWITCH "0000:42:00.0/0000:43:00.0/"

static void
distances(void)
{
	/* each below a port of one switch */
	check_distance(SWITCH "0000:42:00.0/0000:43:00.0", 0, SWITCH "0000:42:01.0/0000:44:00.0", 0,
		PCIPATH_PIX);
	/* one is on the switch itself, or both are: functions of one card */
	check_distance(
		SWITCH "0000:42:00.0", 0, SWITCH "0000:42:01.0/0000:44:00.0", 0, PCIPATH_PIX);
	check_distance(SWITCH "0000:42:00.0", 0, SWITCH "0000:42:00.1", 0, PCIPATH_PIX);
	/* another switch is between them, on one side or on both */
	check_distance(
		BEHIND "0000:44:00.0", 0, SWITCH "0000:42:01.0/0000:50:00.0", 0, PCIPATH_PXB);
	check_distance(BEHIND "0000:44:00.0/0000:45:00.0", 0,
		SWITCH "0000:42:01.0/0000:50:00.0/0000:51:00.0/0000:52:00.0", 0, PCIPATH_PXB);
	check_distance(
		SWITCH "0000:42:00.0", 0, BEHIND "0000:44:00.0/0000:45:00.0", 0, PCIPATH_PXB);
	/* root ports of one root bus, whatever their NUMA nodes */
	check_distance(
		SWITCH "0000:42:00.0", 0, "pci0000:40/0000:40:03.0/0000:60:00.0", 0, PCIPATH_PHB);
	check_distance("pci0000:40/0000:40:03.0", 0, "pci0000:40/0000:40:04.0", 1, PCIPATH_PHB);
	check_distance("pci0000:40/0000:40:03.0", -1, "pci0000:40/0000:40:03.0", -1, PCIPATH_PHB);
	/* one is the bridge above the other */
	check_distance("pci0000:40/0000:40:03.0", 0, "pci0000:40/0000:40:03.0/0000:60:00.0", 0,
		PCIPATH_PHB);
	/* other root buses, that of another domain too */
	check_distance("pci0000:40/0000:40:03.0", 0, "pci0000:60/0000:60:03.0", 0, PCIPATH_NODE);
	check_distance("pci0000:40/0000:40:03.0", 1, "pci0001:40/0001:40:03.0", 1, PCIPATH_NODE);
	check_distance("pci0000:40/0000:40:03.0", 0, "pci0000:60/0000:60:03.0", 1, PCIPATH_SYS);
	check_distance("pci0000:40/0000:40:03.0", -1, "pci0000:60/0000:60:03.0", -1, PCIPATH_SYS);
	check_distance("pci0000:40/0000:40:03.0", 0, "pci0000:60/0000:60:03.0", -1, PCIPATH_SYS);
	/* a path without its root bus */
	check_distance(
		"0000:40:03.0/0000:41:00.0", 0, "0000:40:03.0/0000:42:00.0", 0, PCIPATH_NODE);
}

static const struct check_test tests[] = {
	{"a PCI address has a domain, bus, device and function", pci_address},
	{"the function is the last component of a path that is a PCI address", last_function},
	{"a path may be as deep as the limit, and no deeper", depth},
	{"the distance of two functions matches nvidia-smi's, in either order", distances},
};
CHECK_MAIN(tests)
