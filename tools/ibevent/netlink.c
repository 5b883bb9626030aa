/* netlink - opens netlink sockets and receives the kernel's messages. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "netlink.h"

#include "fd.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>

/* Requested receive buffer; the kernel limits it to net.core.rmem_max. */
#define BUFFER_BYTES (1 << 20)

/* Messages read per call, so that other sources get their turn. */
#define BATCH 64

/* Longest message of the kernel: a part of rtnetlink's list has at most 32 KiB (NLMSG_GOODSIZE and
 * above), a uevent 2 KiB and a line (UEVENT_BUFFER_SIZE in include/linux/kobject.h). */
#define MESSAGE_MAX_BYTES 65536

int
netlink_open(int protocol, uint32_t groups)
{
	const int bytes = BUFFER_BYTES;
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) < 0 ||
			       bind(fd, (const struct sockaddr *)&address, sizeof address) < 0)) {
		fd_close(fd);
		return -1;
	}
	return fd;
}

enum read_status {
	READ_MESSAGE,
	READ_FOREIGN, /* not from the kernel */
	READ_NOTHING, /* nothing more for now */
	READ_LOST,    /* the kernel dropped messages, or this one did not fit */
	READ_FAILED,  /* with errno */
};

static enum read_status
read_message(int fd, unsigned char *bytes, size_t size, size_t *length)
{
	struct sockaddr_nl sender = {0};
	struct iovec room = {.iov_base = bytes, .iov_len = size};
	struct msghdr message = {.msg_name = &sender,
		.msg_namelen = sizeof sender,
		.msg_iov = &room,
		.msg_iovlen = 1};
	ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT);
	if (got < 0 && errno == ENOBUFS)
		return READ_LOST;
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? READ_NOTHING : READ_FAILED;
	/* Any process may send to a netlink socket; only the kernel has port 0. */
	if (message.msg_namelen != sizeof sender || sender.nl_pid != 0)
		return READ_FOREIGN;
	if ((message.msg_flags & MSG_TRUNC) != 0)
		return READ_LOST;
	*length = (size_t)got;
	return READ_MESSAGE;
}

int
netlink_receive(int fd, const struct netlink_receiver *receiver)
{
	static unsigned char bytes[MESSAGE_MAX_BYTES];
	for (unsigned i = 0; i < BATCH; i++) {
		size_t length;
		switch (read_message(fd, bytes, sizeof bytes, &length)) {
		case READ_MESSAGE:
			if (receiver->accept(receiver->self, bytes, length) < 0)
				return -1;
			break;
		case READ_LOST:
			receiver->note_loss(receiver->self);
			break;
		case READ_NOTHING:
			return 0;
		case READ_FAILED:
			return -1;
		case READ_FOREIGN:
			break;
		}
	}
	return 0;
}
