/* uevent - devices that come, go and are renamed, from the kernel's uevents. They reach every
 * network namespace of the first user namespace. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_UEVENT_H
#define IBEVENT_UEVENT_H

#include "devicelook.h"
#include "output.h"
#include "verbs.h"

struct uevent {
	int fd; /* -1: it is not open */
	struct devicelook *look;
	struct verbs *verbs; /* is told when nodes come and go */
	struct output *output;
};

/* Opens the socket. 0, or -1 with errno. */
int uevent_open(
	struct uevent *uevent, struct devicelook *look, struct verbs *verbs, struct output *output);

/* Reads what is there, or a part of it. 0, or -1 with errno when it can read no more. */
int uevent_read(struct uevent *uevent);

void uevent_close(struct uevent *uevent);

#endif
