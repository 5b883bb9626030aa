/* transport - bytes to a sink: opening, writing, and how much of it has arrived. */
#include "transport.h"

#include "resolver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

void
transport_init(struct transport *transport, const struct sink_spec *spec)
{
	*transport = (struct transport){.spec = spec, .fd = -1};
}

static bool
is_socket(const struct transport *transport)
{
	return transport->spec->kind == SINK_UNIX || transport->spec->kind == SINK_TCP;
}

static void
close_descriptor(struct transport *transport)
{
	if (transport->fd >= 0 && transport->fd != STDOUT_FILENO)
		close(transport->fd);
	transport->fd = -1;
}

static enum transport_status
failed(struct transport *transport, const char *reason)
{
	snprintf(transport->problem, sizeof transport->problem, "%s", reason);
	close_descriptor(transport);
	return TRANSPORT_FAILED;
}

/* A writer that was killed, or a full disk, may have left a line without its end. The next event gets its own line. */
static int
mend_last_line(int fd)
{
	struct stat status;
	char last = '\n';
	if (fstat(fd, &status) < 0)
		return -1;
	if (!S_ISREG(status.st_mode) || status.st_size == 0)
		return 0;
	if (pread(fd, &last, 1, status.st_size - 1) < 0)
		return -1;
	return last == '\n' || write(fd, "\n", 1) == 1 ? 0 : -1;
}

static enum transport_status
open_file(struct transport *transport)
{
	struct stat status;
	bool is_fifo = stat(transport->spec->path, &status) == 0 && S_ISFIFO(status.st_mode);
	/* O_NONBLOCK: a FIFO nobody reads is a sink that is down (ENXIO), and a full one holds up nobody else. It means nothing
	 * to a regular file, which is also read, to look at its last line. */
	transport->fd = open(transport->spec->path,
		(is_fifo ? O_WRONLY : O_RDWR) | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY |
			O_NONBLOCK,
		0640);
	if (transport->fd < 0 || mend_last_line(transport->fd) < 0)
		return failed(transport, strerror(errno));
	return TRANSPORT_READY;
}

/* Starts to connect a new socket. */
static enum transport_status
connect_to(
	struct transport *transport, int family, const struct sockaddr *address, socklen_t length)
{
	transport->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (transport->fd < 0)
		return failed(transport, strerror(errno));
	if (connect(transport->fd, address, length) == 0)
		return TRANSPORT_READY;
	/* EAGAIN is a unix socket whose listener has its hands full: that one has to be tried again. */
	return errno == EINPROGRESS ? TRANSPORT_PENDING : failed(transport, strerror(errno));
}

static enum transport_status
open_unix(struct transport *transport)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	strcpy(address.sun_path,
		transport->spec->path); /* its length was checked when it was parsed */
	return connect_to(transport, AF_UNIX, (const struct sockaddr *)&address, sizeof address);
}

/* Goes round the addresses of a host until one does not refuse at once, beginning behind those that failed late. */
static enum transport_status
connect_to_any(struct transport *transport, const struct addrinfo *addresses)
{
	enum transport_status status = failed(transport, "no address");
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
		return failed(transport, "cannot look up its name");
	int status = resolver_poll(transport->resolver, &addresses);
	if (status == EAI_INPROGRESS)
		return TRANSPORT_PENDING;

	enum transport_status result = status != 0 ? failed(transport, gai_strerror(status))
						   : connect_to_any(transport, addresses);
	resolver_free(transport->resolver);
	transport->resolver = NULL;
	return result;
}

enum transport_status
transport_open(struct transport *transport)
{
	switch (transport->spec->kind) {
	case SINK_STDOUT:
		transport->fd = STDOUT_FILENO;
		return TRANSPORT_READY;
	case SINK_FILE:
		return open_file(transport);
	case SINK_UNIX:
		return open_unix(transport);
	case SINK_TCP:
		return open_tcp(transport);
	default:
		return failed(transport, "it takes requests");
	}
}

enum transport_status
transport_connected(struct transport *transport)
{
	int error = 0;
	socklen_t length = sizeof error;
	if (getsockopt(transport->fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0)
		error = errno;
	if (error == 0)
		return TRANSPORT_READY;
	transport->late_failures++;
	return failed(transport, strerror(error));
}

/* Our stdout may be shared with others, so it stays as it is, and is written to only when it takes PIPE_BUF bytes, and no more than these at once: a longer line would wait for
 * who reads. */
static bool
takes_more(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	return poll(&ready, 1, 0) == 1;
}

ssize_t
transport_write(struct transport *transport, const char *bytes, size_t length)
{
	if (transport->spec->kind == SINK_STDOUT && !takes_more(transport->fd))
		return 0;
	if (transport->spec->kind == SINK_STDOUT && length > PIPE_BUF)
		length = PIPE_BUF;
	ssize_t n = is_socket(transport)
			    ? send(transport->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT)
			    : write(transport->fd, bytes, length);
	if (n >= 0)
		return n;
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	snprintf(transport->problem, sizeof transport->problem, "%s", strerror(errno));
	return -1;
}

bool
transport_is_drained(const struct transport *transport)
{
	int unread = 0;
	if (!is_socket(transport))
		return true;
	/* Bytes the peer's system has not acknowledged (TCP), or the peer has not read (unix). */
	return ioctl(transport->fd, SIOCOUTQ, &unread) < 0 || unread == 0;
}

bool
transport_is_alive(struct transport *transport)
{
	char ignored[4096];
	if (!is_socket(transport))
		return true;
	/* A sink has nothing to say; what it says all the same is read, so that its end can be seen. */
	ssize_t n = recv(transport->fd, ignored, sizeof ignored, MSG_DONTWAIT);
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return true;
	snprintf(transport->problem, sizeof transport->problem, "%s",
		n == 0 ? "closed by the other side" : strerror(errno));
	return false;
}

bool
transport_is_stale(const struct transport *transport)
{
	struct stat at_path, ours;
	if (transport->spec->kind != SINK_FILE)
		return false;
	return stat(transport->spec->path, &at_path) < 0 || fstat(transport->fd, &ours) < 0 ||
	       at_path.st_dev != ours.st_dev || at_path.st_ino != ours.st_ino;
}

void
transport_close(struct transport *transport)
{
	resolver_free(transport->resolver);
	transport->resolver = NULL;
	close_descriptor(transport);
}
