/* ueventmessage - what the kernel says of devices that come, go and are renamed, and of PCI
 * functions that it recovers. Pure.
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
	UEVENTMESSAGE_OTHER,  /* nothing of interest, or no uevent */
	UEVENTMESSAGE_DEVICE, /* an RDMA device */
	UEVENTMESSAGE_VERBS,  /* its node for verbs, such as uverbs0 */
	UEVENTMESSAGE_PCI,    /* a network function, which had an error */
};

struct ueventmessage {
	enum ueventmessage_about about;
	char name[NOTICE_DEVICE_SIZE]; /* the device or node; for PCI, the address */
	bool is_added, is_removed;     /* of a node */
	const char *event;             /* of a device or function: the name of the event */
	bool fabric_error;
};

/* Parses one message of `length` bytes. */
void ueventmessage_parse(const char *bytes, size_t length, struct ueventmessage *message);

#endif
