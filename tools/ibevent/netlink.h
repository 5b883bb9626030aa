/* netlink - opens netlink sockets and receives the kernel's messages. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_NETLINK_H
#define IBEVENT_NETLINK_H

#include <stddef.h>
#include <stdint.h>

/* Open a non-blocking socket that joins `groups`, a bit mask. Return a file descriptor, or -1 with
 * errno. */
int netlink_open(int protocol, uint32_t groups);

/* Callbacks for received messages; they get `self`. */
struct netlink_receiver {
	void *self;
	int (*accept)(void *self, const unsigned char *bytes, size_t length); /* -1 ends reading */
	void (*note_loss)(void *self); /* the kernel dropped messages or cut one short */
};

/* Receive the waiting messages, at most one batch, so that other sources get their turn. Ignores
 * messages that are not from the kernel. Return 0, or -1 with errno if `accept` returns -1 or the
 * socket fails. */
int netlink_receive(int fd, const struct netlink_receiver *receiver);

#endif
