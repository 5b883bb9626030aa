/* Unit tests of efa and layer: which devices are EFA adapters, and the states of their
 * interfaces. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../lib/efa.h"

#include "../../lib/layer.h"
#include "check.h"

static void
devices(void)
{
	static const struct {
		const char *driver, *vendor;
		bool is_efa;
	} rows[] = {
		{"efa", "0x1d0f", true},
		{"efa", "0x15b3", true},
		{"efa", NULL, true},
		{NULL, "0x1d0f", true},
		{NULL, "0x1D0F", true},
		{"mlx5_core", "0x1d0f", false},
		{"ena", "0x1d0f", false},
		{"efa2", "0x1d0f", false},
		{"", "0x1d0f", false},
		{NULL, "0x15b3", false},
		{NULL, NULL, false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i);
		CHECK_INT(efa_is_device(rows[i].driver, rows[i].vendor), rows[i].is_efa);
	}
}

static void
functions(void)
{
	static const struct {
		const char *vendor, *device;
		bool is_efa;
	} rows[] = {
		{"0x1d0f", "0xefa0", true},
		{"0x1d0f", "0xEFA3", true},
		{"0x1d0f", "0xec20", false},
		{"0x1d0f", "", false},
		{"0x15b3", "0xefa0", false},
		{"", "0xefa0", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i);
		CHECK_INT(efa_is_function(rows[i].vendor, rows[i].device), rows[i].is_efa);
	}
}

static void
sights(void)
{
	static const struct {
		const char *netdev, *operstate;
		int carrier;
		enum efa_sight sight;
	} rows[] = {
		{"ens6", "up", 1, EFA_UP},
		{"ens6", "up", -1, EFA_UP},
		{"ens6", "up", 0, EFA_DOWN},
		{"ens6", " UP\n", 1, EFA_UP},
		{"ens6", "Unknown", -1, EFA_UP},
		{"ens6", "", -1, EFA_UP},
		{"ens6", " ", 0, EFA_DOWN},
		{"ens6", "down", -1, EFA_DOWN},
		{"ens6", "Down ", 1, EFA_DOWN},
		{"ens6", "dormant", 1, EFA_DOWN},
		{"ens6", "lowerlayerdown", 1, EFA_DOWN},
		{"ens6", "testing", 1, EFA_DOWN},
		{"ens6", "notpresent", 1, EFA_DOWN},
		{"ens6", "upper", 1, EFA_DOWN},
		{"ens6", "u", 1, EFA_DOWN},
		{"ens6", NULL, 1, EFA_UP},
		{"ens6", NULL, 0, EFA_DOWN},
		{"ens6", NULL, -1, EFA_UNKNOWN},
		/* Without an interface nothing else counts. */
		{NULL, NULL, -1, EFA_UP},
		{NULL, "down", 0, EFA_UP},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i);
		CHECK_INT(efa_port_eval(rows[i].netdev, rows[i].operstate, rows[i].carrier),
			rows[i].sight);
	}
}

static void
layers(void)
{
	for (enum layer layer = 0; layer < LAYER_N; layer++)
		CHECK_INT(layer_find(layer_name(layer)), layer);
	CHECK_INT(layer_find(NULL), LAYER_INFINIBAND);
	CHECK_INT(layer_find("Unknown"), LAYER_INFINIBAND);
	CHECK_INT(layer_find("ethernet"), LAYER_INFINIBAND);
	CHECK_STR(layer_name(LAYER_EFA), "EFA");
	CHECK_STR(layer_port(LAYER_INFINIBAND), "Port");
	CHECK_STR(layer_port(LAYER_ETHERNET), "RoCE port");
	CHECK_STR(layer_port(LAYER_EFA), "EFA port");
}

static const struct check_test tests[] = {
	{"a device is an EFA adapter by its driver, or by its vendor if it has no driver", devices},
	{"a PCI function is an EFA adapter's by its vendor and device id", functions},
	{"an EFA port has the state of its interface, and is up without one", sights},
	{"a link layer other than Ethernet or EFA counts as InfiniBand", layers},
};
CHECK_MAIN(tests)
