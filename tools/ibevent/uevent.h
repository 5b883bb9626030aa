/* uevent - reports devices that are added, removed or renamed, and PCI recovery, from the kernel's
 * uevents. The kernel sends them to every network namespace of the initial user namespace. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_UEVENT_H
#define IBEVENT_UEVENT_H

#include "devicelook.h"
#include "output.h"
#include "verbs.h"

struct uevent {
	int fd; /* -1: closed */
	struct devicelook *look;
	struct verbs *verbs; /* opens added nodes and closes removed ones */
	struct output *output;
};

/* Open the socket. Return 0, or -1 with errno. */
int uevent_open(
	struct uevent *uevent, struct devicelook *look, struct verbs *verbs, struct output *output);

/* Read at most one batch of messages. Return 0, or -1 with errno if no more can be read. */
int uevent_read(struct uevent *uevent);

void uevent_close(struct uevent *uevent);

#endif
