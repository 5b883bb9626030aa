/* vendor - determines the vendor of an RDMA device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "vendor.h"

#include "array.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

const char *const vendor_names[VENDOR_N] = {
	[VENDOR_NVIDIA] = "nvidia",
	[VENDOR_AMAZON] = "amazon",
	[VENDOR_AMD] = "amd",
	[VENDOR_BROADCOM] = "broadcom",
	[VENDOR_INTEL] = "intel",
};

/* include/linux/pci_ids.h */
static const char *const ids[VENDOR_N] = {
	[VENDOR_NVIDIA] = "0x15b3",
	[VENDOR_AMAZON] = "0x1d0f",
	[VENDOR_AMD] = "0x1dd8",
	[VENDOR_BROADCOM] = "0x14e4",
	[VENDOR_INTEL] = "0x8086",
};

/* A PCI function is bound to the driver of its network interface. The RDMA drivers bnxt_re,
 * ionic_rdma and irdma are bound to auxiliary devices below it. */
static const struct {
	const char *driver;
	enum vendor vendor;
} drivers[] = {
	{"mlx5_core", VENDOR_NVIDIA},
	{"efa", VENDOR_AMAZON},
	{"ionic", VENDOR_AMD},
	{"bnxt_en", VENDOR_BROADCOM},
	{"ice", VENDOR_INTEL},
	{"i40e", VENDOR_INTEL},
	{"idpf", VENDOR_INTEL},
};

enum vendor
vendor_find(const char *driver, const char *id)
{
	if (driver != NULL) {
		for (size_t i = 0; i < ARRAY_COUNT(drivers); i++) {
			if (strcmp(driver, drivers[i].driver) == 0)
				return drivers[i].vendor;
		}
		return VENDOR_OTHER;
	}
	enum vendor vendor = 0;
	while (vendor < VENDOR_N && (id == NULL || strcasecmp(id, ids[vendor]) != 0))
		vendor++;
	return vendor;
}
