/* diagout - writes to stderr without blocking for long and without SIGPIPE. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "diagout.h"

#include "clock.h"
#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Lowest descriptor for the own description: stages receive lower ones. */
#define OWN_LEAST 16

/* Kinds of stderr. */
enum kind {
	KIND_PLAIN,  /* a file: blocking writes */
	KIND_SOCKET, /* may block; MSG_DONTWAIT per call */
	KIND_SHARED, /* may block; O_NONBLOCK would affect every process that shares it */
	KIND_OWN,    /* the same, through an own description with O_NONBLOCK */
};

struct place {
	enum kind kind;
	int fd;
};

/* Own open file description of the initial stderr; fd -1: none. Constant while there are
 * threads. */
static struct {
	int fd;
	dev_t device;
	ino_t inode;
} own = {.fd = -1};

/* The last line was written only in part. */
static atomic_bool torn;

static bool
may_wait(const struct stat *status)
{
	return S_ISFIFO(status->st_mode) || (S_ISCHR(status->st_mode) && isatty(STDERR_FILENO));
}

void
diagout_init(void)
{
	struct stat status;
	if (own.fd >= 0)
		close(own.fd);
	own.fd = -1;
	int flags = fcntl(STDERR_FILENO, F_GETFL);
	if (flags < 0 || fstat(STDERR_FILENO, &status) < 0 || !may_wait(&status))
		return;
	int opened = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (opened < 0)
		return;
	own.fd = fcntl(opened, F_DUPFD_CLOEXEC, OWN_LEAST);
	close(opened);
	if (own.fd < 0)
		return;
	/* Copy the other flags, such as O_DIRECT, which keeps writes to a pipe apart. */
	fcntl(own.fd, F_SETFL, flags | O_NONBLOCK);
	own.device = status.st_dev;
	own.inode = status.st_ino;
}

static struct place
find_place(void)
{
	struct stat status;
	struct place place = {.kind = KIND_PLAIN, .fd = STDERR_FILENO};
	if (fstat(STDERR_FILENO, &status) < 0)
		return place;
	if (own.fd >= 0 && status.st_dev == own.device && status.st_ino == own.inode)
		place = (struct place){.kind = KIND_OWN, .fd = own.fd};
	else if (S_ISSOCK(status.st_mode))
		place.kind = KIND_SOCKET;
	else if (may_wait(&status))
		place.kind = KIND_SHARED;
	return place;
}

/* Wait up to `timeout_ms`. Return true if there is room, or an error that ends the wait. */
static bool
has_room(int fd, int timeout_ms)
{
	struct pollfd out = {.fd = fd, .events = POLLOUT};
	return poll(&out, 1, timeout_ms) > 0;
}

static ssize_t
write_shared(int fd, const char *bytes, size_t length)
{
	struct iovec all = {.iov_base = (char *)bytes, .iov_len = length};
	ssize_t n = pwritev2(fd, &all, 1, -1, RWF_NOWAIT);
	if (n >= 0 ||
		(errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS && errno != ESPIPE))
		return n;
	if (has_room(fd, 0))
		return write(fd, bytes, length);
	errno = EAGAIN;
	return -1;
}

/* Like write(2), but fails with EAGAIN instead of blocking. */
static ssize_t
try_write(const struct place *place, const char *bytes, size_t length)
{
	switch (place->kind) {
	case KIND_SOCKET:
		return send(place->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
	case KIND_SHARED:
		return write_shared(place->fd, bytes, length);
	case KIND_PLAIN:
	case KIND_OWN:
		break;
	}
	return write(place->fd, bytes, length);
}

/* Return true if everything was written. Set `*taken` to the number of bytes written. */
static bool
write_all(const struct place *place, const char *bytes, size_t length, uint64_t until_ns,
	size_t *taken)
{
	*taken = 0;
	while (*taken < length) {
		ssize_t n = try_write(place, bytes + *taken, length - *taken);
		if (n > 0) {
			*taken += (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || errno != EAGAIN)
			return false;
		int left_ms = clock_left_ms(until_ns);
		if (left_ms == 0)
			return false;
		has_room(place->fd, left_ms);
	}
	return true;
}

static bool
write_line(const char *line, size_t length, uint64_t until_ns)
{
	struct place place = find_place();
	size_t taken;
	if (atomic_load(&torn)) {
		if (!write_all(&place, "\n", 1, until_ns, &taken))
			return false;
		atomic_store(&torn, false);
	}
	bool whole = write_all(&place, line, length, until_ns, &taken);
	if (!whole && taken > 0)
		atomic_store(&torn, true);
	return whole;
}

/* Block SIGPIPE and SIGXFSZ in this thread, and consume those that the write raised, but not those
 * that were pending before. */
bool
diagout_write(const char *line, size_t length, int patience_ms)
{
	static const struct timespec at_once;
	sigset_t failures, before, pending;
	sigemptyset(&failures);
	sigaddset(&failures, SIGPIPE);
	sigaddset(&failures, SIGXFSZ);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &failures, &before);

	uint64_t until_ns =
		patience_ms > 0 ? clock_monotonic_ns() + (uint64_t)patience_ms * NUM_NS_PER_MS : 0;
	bool whole = write_line(line, length, until_ns);

	if (sigismember(&pending, SIGPIPE) == 1)
		sigdelset(&failures, SIGPIPE);
	if (sigismember(&pending, SIGXFSZ) == 1)
		sigdelset(&failures, SIGXFSZ);
	while (sigtimedwait(&failures, NULL, &at_once) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return whole;
}
