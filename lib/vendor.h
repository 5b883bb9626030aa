/* vendor - who made an RDMA device, by its driver (spec#vendors). Pure. */
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
	VENDOR_OTHER = VENDOR_N, /* or not known */
};

/* As the configuration has them: nvidia, amazon, amd, broadcom, intel. */
extern const char *const vendor_names[VENDOR_N];

/* `driver`, of the PCI function, decides, and where it is NULL the PCI vendor `id`, such as
 * `0x15b3`, nullable too, as in a device record. */
enum vendor vendor_find(const char *driver, const char *id);

#endif
