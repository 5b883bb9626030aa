/* netlink - a socket on which the kernel notifies, and one message after another from it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_NETLINK_H
#define IBEVENT_NETLINK_H

#include <stddef.h>
#include <stdint.h>

/* Opens a socket that joins `groups`, a mask. -1 with errno. */
int netlink_open(int protocol, uint32_t groups);

/* What is done with what comes; the functions get `self`. */
struct netlink_receiver {
	void *self;
	int (*accept)(void *self, const unsigned char *bytes, size_t length); /* -1 ends reading */
	void (*note_loss)(void *self); /* The kernel had to drop messages, or cut one short. */
};

/* Reads what is there, without waiting, but at most a batch: other sources have their turn. What
 * does not come from the kernel is ignored. -1 when `accept` says so or the socket fails, with
 * errno. */
int netlink_receive(int fd, const struct netlink_receiver *receiver);

#endif
