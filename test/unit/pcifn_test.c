/* Unit tests of pcifn: which PCI functions should have RDMA devices. */
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
	CHECK(!pcifn_is_network("0x 020000"));
	CHECK(!pcifn_is_network("0x+020000"));
	CHECK(!pcifn_is_network("0x0x020000"));
	CHECK(!pcifn_is_network("0x-fffffffffffe0000"));
}

static void
numa_node(void)
{
	static const struct {
		const char *text;
		int64_t node;
	} rows[] = {{"0", 0}, {"1", 1}, {"8", 8}, {"1023", 1023}, {"-1", -1}, {"1024", -1},
		{"", -1}, {"-2", -1}, {"+1", -1}, {" 1", -1}, {"1 ", -1}, {"0x1", -1}, {"N/A", -1},
		{"0,2-17", -1}, {"99999999999999999999999", -1}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("\"%s\"", rows[i].text);
		CHECK_INT(pcifn_numa_node(rows[i].text), rows[i].node);
	}
}

static const struct check_test tests[] = {
	{"a NUMA node is a number that the kernel allows, and any other text is unknown",
		numa_node},
	{"a network function is one of any vendor", networks},
	{"a NIC is a network or InfiniBand function of NVIDIA's", nics},
};
CHECK_MAIN(tests)
