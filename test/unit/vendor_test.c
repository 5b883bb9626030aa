/* Unit tests of vendor: the vendor of an RDMA device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../lib/vendor.h"

#include "check.h"

static void
vendors(void)
{
	static const struct {
		const char *driver, *id;
		enum vendor vendor;
	} rows[] = {
		{"mlx5_core", "0x15b3", VENDOR_NVIDIA},
		{"efa", "0x1d0f", VENDOR_AMAZON},
		{"ionic", "0x1dd8", VENDOR_AMD},
		{"bnxt_en", "0x14e4", VENDOR_BROADCOM},
		{"ice", "0x8086", VENDOR_INTEL},
		{"i40e", NULL, VENDOR_INTEL},
		{"idpf", "0x1af4", VENDOR_INTEL},
		/* The driver counts more than the card's vendor id. */
		{"mlx4_core", "0x15b3", VENDOR_OTHER},
		{"ice2", "0x8086", VENDOR_OTHER},
		{"ic", "0x8086", VENDOR_OTHER},
		{"", "0x8086", VENDOR_OTHER},
		{NULL, "0x15b3", VENDOR_NVIDIA},
		{NULL, "0x1D0F", VENDOR_AMAZON},
		{NULL, "0x1dd8", VENDOR_AMD},
		{NULL, "0x14E4", VENDOR_BROADCOM},
		{NULL, "0x8086", VENDOR_INTEL},
		{NULL, "0x80860", VENDOR_OTHER},
		{NULL, "8086", VENDOR_OTHER},
		{NULL, "", VENDOR_OTHER},
		{NULL, NULL, VENDOR_OTHER},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i);
		CHECK_INT(vendor_find(rows[i].driver, rows[i].id), rows[i].vendor);
	}
}

static const struct check_test tests[] = {
	{"a device's vendor is that of its driver, or else of its PCI vendor id", vendors},
};
CHECK_MAIN(tests)
