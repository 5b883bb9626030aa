/* ueventmessage - parses the kernel's uevents about RDMA devices that are added, removed or
 * renamed, and PCI functions that are recovered. Pure.
 *
 *	message = action "@" devpath NUL (key "=" value NUL)*
 *
 * (lib/kobject_uevent.c; ERROR_EVENT comes from pci_uevent_ers() in drivers/pci/pci-driver.c) */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_UEVENTMESSAGE_H
#define IBEVENT_UEVENTMESSAGE_H

#include "notice.h"

#include <stdbool.h>
#include <stddef.h>

enum ueventmessage_about {
	UEVENTMESSAGE_OTHER,  /* not relevant, or no uevent */
	UEVENTMESSAGE_DEVICE, /* an RDMA device */
	UEVENTMESSAGE_VERBS,  /* a device's verbs node, such as uverbs0 */
	UEVENTMESSAGE_PCI,    /* a network function that had an error */
};

struct ueventmessage {
	enum ueventmessage_about about;
	char name[NOTICE_DEVICE_SIZE]; /* the device or node; for PCI, the address */
	bool is_added, is_removed;     /* VERBS only */
	const char *event;             /* DEVICE and PCI: name of the event, static */
	bool fabric_error;
};

/* Parse one message of `length` bytes. */
void ueventmessage_parse(const char *bytes, size_t length, struct ueventmessage *message);

#endif
