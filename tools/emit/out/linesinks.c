/* linesinks - the sinks that write lines: stdout, a file, a Unix socket, a TCP connection. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"
#include "filework.h"
#include "resolver.h"
#include "sinkspec.h"
#include "stream.h"
#include "transport.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct filework *
work_of(struct transport *transport)
{
	if (transport->work != NULL)
		return transport->work;
	/* stdout has no path. */
	return transport->work = filework_new(transport->spec->path, STDOUT_FILENO);
}

static enum transport_status
open_file(struct transport *transport)
{
	int error = errno;
	enum filework_status status = work_of(transport) != NULL
					      ? filework_open(transport->work, &error)
					      : FILEWORK_FAILED;
	if (status == FILEWORK_LATE)
		return TRANSPORT_PENDING;
	if (status == FILEWORK_FAILED)
		return transport_fail(transport, strerror(error));
	transport->fd = filework_file(transport->work);
	return TRANSPORT_READY;
}

/* If stdout is a regular file, write it in a thread, too: its disk may hang. */
static enum transport_status
open_stdout(struct transport *transport)
{
	struct stat status;
	transport->fd = STDOUT_FILENO;
	if (fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
		work_of(transport) == NULL)
		return transport_fail(transport, strerror(errno));
	return TRANSPORT_READY;
}

/* stdout may be shared with other processes, so do not set O_NONBLOCK. Write only when it is
 * writable, which guarantees PIPE_BUF bytes, and at most that many: a longer write would block
 * until the reader reads. */
static bool
takes_more(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	return poll(&ready, 1, 0) == 1;
}

static ssize_t
write_file(struct transport *transport, const char *bytes, size_t length)
{
	size_t written;
	int error;
	if (filework_write(transport->work, bytes, length, &written, &error) != FILEWORK_FAILED) {
		/* The file may have been reopened. */
		transport->fd = filework_fd(transport->work) < 0 ? filework_file(transport->work)
								 : transport->fd;
		return (ssize_t)written;
	}
	snprintf(transport->problem, sizeof transport->problem, "%s", strerror(error));
	return -1;
}

static ssize_t
write_stdout(struct transport *transport, const char *bytes, size_t length)
{
	if (transport->work != NULL)
		return write_file(transport, bytes, length);
	if (!takes_more(transport->fd))
		return 0;
	ssize_t n = write(transport->fd, bytes, length < PIPE_BUF ? length : PIPE_BUF);
	return n >= 0 ? n : transport_failed_write(transport, errno);
}

static const char *
parse_stdout(struct sink_spec *spec, const char *rest)
{
	(void)spec, (void)rest;
	return NULL;
}

static const struct transport_kind to_stdout = {
	.open = open_stdout,
	.write = write_stdout,
	.ends_for_good = true,
	.confirmation = "written",
};

const struct sink_kind sink_stdout = {
	.parse = parse_stdout,
	.engine = &stream_engine,
	.transport = &to_stdout,
};

static const struct transport_kind to_file = {
	.open = open_file,
	.write = write_file,
	.confirmation = "written",
};

const struct sink_kind sink_file = {
	.parse = sink_spec_parse_path,
	.engine = &stream_engine,
	.transport = &to_file,
};

/* --- sockets --- */

/* Start to connect a new socket. */
static enum transport_status
connect_to(
	struct transport *transport, int family, const struct sockaddr *address, socklen_t length)
{
	transport->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (transport->fd < 0)
		return transport_fail(transport, strerror(errno));
	if (connect(transport->fd, address, length) == 0)
		return TRANSPORT_READY;
	/* EAGAIN: the backlog of a Unix socket's listener is full. Retry later. */
	if (errno != EINPROGRESS)
		return transport_fail(transport, strerror(errno));
	transport->connecting_since_ns = clock_monotonic_ns();
	return TRANSPORT_PENDING;
}

static enum transport_status
open_unix(struct transport *transport)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	strcpy(address.sun_path,
		transport->spec->path); /* length checked by sink_spec_parse_socket() */
	return connect_to(transport, AF_UNIX, (const struct sockaddr *)&address, sizeof address);
}

/* Try the host's addresses in a circle until one does not fail at once. Start after those that
 * failed later. */
static enum transport_status
connect_to_any(struct transport *transport, const struct addrinfo *addresses)
{
	enum transport_status status = transport_fail(transport, "no address");
	unsigned count = 0, skipped = 0;
	for (const struct addrinfo *a = addresses; a != NULL; a = a->ai_next)
		count++;
	const struct addrinfo *a = addresses;
	for (; count > 0 && skipped < transport->late_failures % count; skipped++)
		a = a->ai_next;
	for (unsigned tried = 0; tried < count && status == TRANSPORT_FAILED; tried++) {
		status = connect_to(transport, a->ai_family, a->ai_addr, a->ai_addrlen);
		a = a->ai_next != NULL ? a->ai_next : addresses;
	}
	return status;
}

static enum transport_status
open_tcp(struct transport *transport)
{
	const struct addrinfo *addresses;

	if (transport->resolver == NULL)
		transport->resolver = resolver_new(transport->spec->host, transport->spec->service);
	if (transport->resolver == NULL)
		return transport_fail(transport, "cannot look up its name");
	int status = resolver_poll(transport->resolver, &addresses);
	if (status == EAI_INPROGRESS)
		return TRANSPORT_PENDING;

	enum transport_status result = status != 0 ? transport_fail(transport, gai_strerror(status))
						   : connect_to_any(transport, addresses);
	resolver_free(transport->resolver);
	transport->resolver = NULL;
	return result;
}

static ssize_t
write_socket(struct transport *transport, const char *bytes, size_t length)
{
	ssize_t n = send(transport->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	return n >= 0 ? n : transport_failed_write(transport, errno);
}

static const struct transport_kind to_unix = {
	.open = open_unix,
	.write = write_socket,
	.is_socket = true,
	.confirmation = "read by the peer",
};

const struct sink_kind sink_unix = {
	.parse = sink_spec_parse_socket,
	.engine = &stream_engine,
	.transport = &to_unix,
};

static const struct transport_kind to_tcp = {
	.open = open_tcp,
	.write = write_socket,
	.is_socket = true,
	.confirmation = "acknowledged by the peer's kernel",
};

const struct sink_kind sink_tcp = {
	.parse = sink_spec_parse_host_and_port,
	.engine = &stream_engine,
	.transport = &to_tcp,
};
