/* Unit tests of pcifn: which PCI functions should be RDMA devices. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pcifn.h"

#include "check.h"

static void
nics(void)
{
	static const struct {
		const char *vendor, *class;
		bool nic;
	} rows[] = {
		{"0x15b3", "0x020000", true},  /* Ethernet controller */
		{"0x15b3", "0x020700", true},  /* InfiniBand controller */
		{"0x15b3", "0x028000", true},  /* other network controller */
		{"0x15b3", "0x0c0600", true},  /* InfiniBand, as a serial bus */
		{"0x15b3", "0x0c0300", false}, /* USB */
		{"0x15b3", "0x058000", false}, /* a BlueField's memory controller */
		{"0x15b3", "0x060400", false}, /* a bridge in the card */
		{"0x15b3", "0x120000", false}, /* accelerator */
		{"0x8086", "0x020000", false}, /* another vendor */
		{"0x15b", "0x020000", false},
		{"0x15b3", "020000", false},
		{"0x15b3", "0x", false},
		{"0x15b3", "0x02000g", false},
		{"0x15b3", "0x20000000000020000", false},
		{"", "", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s %s", rows[i].vendor, rows[i].class);
		CHECK_INT(pcifn_is_nic(rows[i].vendor, rows[i].class), rows[i].nic);
	}
}

static void
networks(void)
{
	CHECK(pcifn_is_network("0x020000"));
	CHECK(pcifn_is_network("0x0c0600"));
	CHECK(!pcifn_is_network("0x060400"));
	CHECK(!pcifn_is_network(""));
}

static const struct check_test tests[] = {
	{"a network function is one whoever made it", networks},
	{"a NIC is a network or InfiniBand function of NVIDIA's", nics},
};
CHECK_MAIN(tests)
