/* layout - where the kernel that runs has the members that probes read, as its own description of
 * its types says (Documentation/bpf/btf.rst). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RDMATRACE_LAYOUT_H
#define RDMATRACE_LAYOUT_H

#include <stdint.h>

/* Offsets in bytes; include/rdma/ib_verbs.h. */
struct layout {
	uint32_t event_device;  /* in struct ib_event: a pointer to the device */
	uint32_t event_element; /* the number of a port, if the event is about one */
	uint32_t event_type;    /* enum ib_event_type */
	uint32_t device_name;   /* in struct ib_device: text */
};

/* Reads them below the sysfs root: kernel/btf/ib_core, which builds on kernel/btf/vmlinux. NULL, or
 * the reason why that cannot be done. */
const char *layout_read(const char *sysfs_root, struct layout *out);

#endif
