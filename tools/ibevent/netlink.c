/* netlink - a socket on which the kernel notifies, and one message after another from it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "netlink.h"

#include "fd.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>

/* The kernel gives what net.core.rmem_max allows of it. */
#define BUFFER_BYTES (1 << 20)

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

enum netlink_status
netlink_read(int fd, void *bytes, size_t size, size_t *length)
{
	struct sockaddr_nl sender = {0};
	struct iovec room = {.iov_base = bytes, .iov_len = size};
	struct msghdr message = {.msg_name = &sender,
		.msg_namelen = sizeof sender,
		.msg_iov = &room,
		.msg_iovlen = 1};
	ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT);
	if (got < 0 && errno == ENOBUFS)
		return NETLINK_LOST;
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? NETLINK_NOTHING : NETLINK_FAILED;
	/* Any process may send to a netlink socket; the kernel alone has the port 0. */
	if (message.msg_namelen != sizeof sender || sender.nl_pid != 0)
		return NETLINK_FOREIGN;
	if ((message.msg_flags & MSG_TRUNC) != 0)
		return NETLINK_LOST;
	*length = (size_t)got;
	return NETLINK_MESSAGE;
}
