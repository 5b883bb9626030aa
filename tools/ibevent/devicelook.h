/* devicelook - which RDMA port a network interface or an address of this machine belongs to, as
 * sysfs shows it now. Answers are kept for a second: an interface may change a thousand times in
 * it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_DEVICELOOK_H
#define IBEVENT_DEVICELOOK_H

#include "notice.h"
#include "traceline.h"

#include <net/if.h>

/* Answers that are kept at a time. */
#define DEVICELOOK_KEPT 64

struct devicelook_answer {
	char name[IFNAMSIZ]; /* of the interface; "": none is kept here */
	bool is_own;         /* it was asked for with devicelook_own() */
	uint64_t asked_ns;   /* CLOCK_MONOTONIC */
	char device[NOTICE_DEVICE_SIZE];
	uint32_t port;
};

/* All zeros, and the root. */
struct devicelook {
	int root; /* of sysfs, a descriptor */
	struct devicelook_answer answers[DEVICELOOK_KEPT];
	size_t next; /* the answer that is replaced next */
};

/* The port whose own interface this is: its link is the port's link. Fills in device and port of
 * the notice. False when there is none. */
bool devicelook_own(struct devicelook *look, const char *interface, struct notice *notice);

/* Fills in the device that has the address, by an interface of this network namespace; leaves it
 * as it is when there is none. */
void devicelook_address(
	struct devicelook *look, const struct traceline_address *address, struct notice *notice);

/* Devices have come, gone or changed their names. */
void devicelook_forget(struct devicelook *look);

#endif
