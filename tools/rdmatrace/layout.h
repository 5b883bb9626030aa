/* layout - reads the offsets of the struct members that probes need, from the running kernel's BTF
 * (Documentation/bpf/btf.rst). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RDMATRACE_LAYOUT_H
#define RDMATRACE_LAYOUT_H

#include <stdint.h>

/* Offsets in bytes; include/rdma/ib_verbs.h. */
struct layout {
	uint32_t event_device;  /* in struct ib_event: pointer to the device */
	uint32_t event_element; /* in struct ib_event: port number, if the event is about a port */
	uint32_t event_type;    /* in struct ib_event: enum ib_event_type */
	uint32_t device_name;   /* in struct ib_device: text */
};

/* Read the offsets from kernel/btf/ib_core, which builds on kernel/btf/vmlinux, below the sysfs
 * root. Return NULL, or the reason for the failure. */
const char *layout_read(const char *sysfs_root, struct layout *out);

#endif
