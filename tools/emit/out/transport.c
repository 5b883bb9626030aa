/* transport - non-blocking connect and write for line sinks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "transport.h"

#include "clock.h"
#include "filework.h"
#include "resolver.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool
is_socket(const struct transport *transport)
{
	return transport->spec->kind->transport->is_socket;
}

static void
close_descriptor(struct transport *transport)
{
	/* filework closes a file; stdout stays open. */
	if (transport->fd >= 0 && is_socket(transport))
		close(transport->fd);
	transport->fd = -1;
	transport->untaken = 0;
	transport->untaken_since_ns = 0;
}

enum transport_status
transport_fail(struct transport *transport, const char *reason)
{
	snprintf(transport->problem, sizeof transport->problem, "%s", reason);
	close_descriptor(transport);
	return TRANSPORT_FAILED;
}

static enum transport_status
fail_late(struct transport *transport, int error)
{
	transport->late_failures++;
	return transport_fail(transport, strerror(error));
}

enum transport_status
transport_connected(struct transport *transport)
{
	int error = 0;
	socklen_t length = sizeof error;
	if (getsockopt(transport->fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0)
		error = errno;
	return error == 0 ? TRANSPORT_READY : fail_late(transport, error);
}

enum transport_status
transport_stop_connecting(struct transport *transport)
{
	return fail_late(transport, ETIMEDOUT);
}

ssize_t
transport_failed_write(struct transport *transport, int error)
{
	if (error == EAGAIN || error == EINTR)
		return 0;
	snprintf(transport->problem, sizeof transport->problem, "%s", strerror(error));
	return -1;
}

/* Return the bytes that the peer's system has not acknowledged (TCP) or the peer has not read
 * (Unix). */
static int
untaken_of(const struct transport *transport)
{
	int untaken = 0;
	if (transport->fd < 0 || !is_socket(transport) ||
		ioctl(transport->fd, SIOCOUTQ, &untaken) < 0)
		return 0;
	return untaken;
}

bool
transport_is_drained(const struct transport *transport)
{
	return untaken_of(transport) == 0;
}

/* Detect whether bytes were accepted since the last call: the count grows only by new writes. */
static void
look(struct transport *transport)
{
	int untaken = untaken_of(transport);
	if (untaken == 0)
		transport->untaken_since_ns = 0;
	else if (untaken < transport->untaken || transport->untaken_since_ns == 0)
		transport->untaken_since_ns = clock_monotonic_ns();
	transport->untaken = untaken;
}

bool
transport_is_cut_off(const struct transport *transport)
{
	struct tcp_info info;
	socklen_t length = sizeof info;
	return getsockopt(transport->fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
	       info.tcpi_unacked > 0;
}

bool
transport_is_alive(struct transport *transport)
{
	char ignored[4096];
	if (!is_socket(transport))
		return true;
	/* Read and ignore what a receiver sends, to detect its end of file. */
	ssize_t n = recv(transport->fd, ignored, sizeof ignored, MSG_DONTWAIT);
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return true;
	snprintf(transport->problem, sizeof transport->problem, "%s",
		n == 0 ? "closed by the peer" : strerror(errno));
	return false;
}

void
transport_turn(struct transport *transport)
{
	if (transport->work != NULL)
		filework_turn(transport->work);
	/* Call look() before this round writes. */
	look(transport);
}

bool
transport_is_late(const struct transport *transport)
{
	return transport->work != NULL && filework_fd(transport->work) >= 0;
}

int
transport_fd(const struct transport *transport, short *events)
{
	if (!transport_is_late(transport))
		return transport->fd;
	*events = POLLIN;
	return filework_fd(transport->work);
}

uint64_t
transport_stuck_since_ns(struct transport *transport)
{
	if (transport->work != NULL)
		return filework_stuck_since_ns(transport->work);
	look(transport);
	return transport->untaken_since_ns;
}

void
transport_close(struct transport *transport)
{
	resolver_free(transport->resolver);
	transport->resolver = NULL;
	filework_free(transport->work);
	transport->work = NULL;
	close_descriptor(transport);
}
