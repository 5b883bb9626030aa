/* netlink - a socket on which the kernel notifies, and one message after another from it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_NETLINK_H
#define IBEVENT_NETLINK_H

#include <stddef.h>
#include <stdint.h>

/* Opens a socket that joins `groups`, a mask. -1 with errno. */
int netlink_open(int protocol, uint32_t groups);

enum netlink_status {
	NETLINK_MESSAGE, /* `length` bytes */
	NETLINK_FOREIGN, /* not from the kernel: ignored */
	NETLINK_NOTHING, /* nothing more for now */
	NETLINK_LOST,    /* the kernel had to drop messages, or one is longer than `size` */
	NETLINK_FAILED,  /* errno says why */
};

/* Reads a message without waiting. */
enum netlink_status netlink_read(int fd, void *bytes, size_t size, size_t *length);

#endif
