/* devicelook - finds the RDMA port of a network interface or a local address in sysfs. Caches
 * answers for a second, in which an interface may change a thousand times. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_DEVICELOOK_H
#define IBEVENT_DEVICELOOK_H

#include "notice.h"
#include "traceline.h"

#include <net/if.h>

/* Number of cached answers. */
#define DEVICELOOK_KEPT 64

struct devicelook_answer {
	char name[IFNAMSIZ]; /* the interface; "": unused */
	bool is_own;         /* asked by devicelook_own() */
	uint64_t asked_ns;   /* CLOCK_MONOTONIC */
	char device[NOTICE_DEVICE_SIZE];
	uint32_t port;
};

/* Initialize to zero, then set root. */
struct devicelook {
	int root; /* file descriptor of sysfs */
	struct devicelook_answer answers[DEVICELOOK_KEPT];
	size_t next; /* the answer to replace next, modulo DEVICELOOK_KEPT */
};

/* Find the port whose own interface this is, so that both have the same link. Set device and port
 * of the notice, and return false if there is none. */
bool devicelook_own(struct devicelook *look, const char *interface, struct notice *notice);

/* Set the notice's device to the one with an interface of this network namespace that has the
 * address. Leave it unchanged if no interface has the address. */
void devicelook_address(
	struct devicelook *look, const struct traceline_address *address, struct notice *notice);

/* Drop the cached answers: devices were added, removed or renamed. */
void devicelook_forget(struct devicelook *look);

#endif
