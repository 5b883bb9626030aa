/* vendor - determines the vendor of an RDMA device (spec#vendors). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_VENDOR_H
#define NHM_VENDOR_H

enum vendor {
	VENDOR_NVIDIA,
	VENDOR_AMAZON,
	VENDOR_AMD,
	VENDOR_BROADCOM,
	VENDOR_INTEL,
	VENDOR_N,
	VENDOR_OTHER = VENDOR_N, /* another, or unknown */
};

/* Names in the configuration: nvidia, amazon, amd, broadcom, intel. */
extern const char *const vendor_names[VENDOR_N];

/* Find the vendor by the `driver` of the PCI function, or if that is NULL by the PCI vendor `id`,
 * such as `0x15b3`. Both are nullable, as in a device record. */
enum vendor vendor_find(const char *driver, const char *id);

#endif
