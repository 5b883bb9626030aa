/* kmsg - reads the kernel's log as it grows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "kmsg.h"

#include "diag.h"
#include "fd.h"
#include "logstdin.h"
#include "num.h"
#include "stop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* poll() cannot wait for a regular file to grow. */
#define FILE_POLL_NS (50 * NUM_NS_PER_MS)

static int
open_failure(const char *path)
{
	if (errno == EPERM || errno == EACCES) {
		diag_error("%s: %s: reading the kernel log needs CAP_SYSLOG while "
			   "kernel.dmesg_restrict is 1, and permission to open the file",
			path, strerror(errno));
		return EXIT_NO_PERMISSION;
	}
	return diag_open_failure(path);
}

/* Seek to the start: the file offset belongs to the open file, and an earlier reader may have moved
 * it (kernel#kmsg-overrun). */
static int
open_stdin(void)
{
	int error = logstdin_error();
	if (error != 0) {
		errno = error;
		return -1;
	}
	int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	int flags = fd >= 0 ? fcntl(fd, F_GETFL) : -1;
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		fd_close(fd);
		return -1;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

int
kmsg_open(struct kmsg *kmsg, const char *path)
{
	struct stat status = {.st_mode = 0};
	*kmsg = (struct kmsg){.path = logstdin_name(path),
		.fd = logstdin_is_meant(path) ? open_stdin()
					      : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
	path = kmsg->path;
	if (kmsg->fd < 0)
		return open_failure(path);
	if (fstat(kmsg->fd, &status) < 0 || S_ISDIR(status.st_mode)) {
		if (S_ISDIR(status.st_mode))
			errno = EISDIR;
		int code = diag_open_failure(path);
		kmsg_close(kmsg);
		return code;
	}
	kmsg->device = S_ISCHR(status.st_mode);
	kmsg->growing = S_ISREG(status.st_mode);
	kmsg->expecting = S_ISFIFO(status.st_mode);
	kmsg->capacity = kmsg->device ? KMSG_BUFFER_BYTES : 8 * KMSG_BUFFER_BYTES;
	kmsg->buffer = malloc(kmsg->capacity);
	if (kmsg->buffer == NULL) {
		kmsg_close(kmsg);
		return diag_no_memory();
	}
	return 0;
}

void
kmsg_close(struct kmsg *kmsg)
{
	fd_close(kmsg->fd);
	free(kmsg->buffer);
	kmsg->fd = -1;
	kmsg->buffer = NULL;
}

static enum kmsg_status
read_device(struct kmsg *kmsg, const char **bytes, size_t *length)
{
	ssize_t n = read(kmsg->fd, kmsg->buffer, kmsg->capacity);
	if (n > 0) {
		*bytes = kmsg->buffer;
		*length = (size_t)n;
		return KMSG_RECORD;
	}
	if (n == 0)
		return KMSG_END;
	switch (errno) {
	case EAGAIN:
	case EINTR:
		return KMSG_NOTHING;
	case EPIPE:  /* overwritten before it could be read */
	case EINVAL: /* larger than the buffer, and lost */
		return KMSG_OVERRUN;
	default:
		return KMSG_ERROR;
	}
}

/* --- files and pipes --- */

/* Return the next whole line of the buffer. */
static bool
next_line(struct kmsg *kmsg, const char **bytes, size_t *length)
{
	while (kmsg->start < kmsg->end) {
		char *line = kmsg->buffer + kmsg->start;
		char *feed = memchr(line, '\n', kmsg->end - kmsg->start);
		if (feed == NULL && !kmsg->at_end)
			return false;
		size_t size = feed != NULL ? (size_t)(feed - line) + 1 : kmsg->end - kmsg->start;
		bool skipped = kmsg->skipping;
		kmsg->start += size;
		kmsg->skipping = false;
		if (skipped)
			continue;
		*bytes = line;
		*length = size - (feed != NULL);
		return true;
	}
	return false;
}

/* A line that fills the buffer cannot be a record: skip it to its end. Return true only the first
 * time. */
static bool
is_oversized(struct kmsg *kmsg)
{
	if (kmsg->end - kmsg->start < kmsg->capacity)
		return false;
	bool known = kmsg->skipping;
	kmsg->skipping = true;
	kmsg->start = kmsg->end = 0;
	return !known;
}

/* Read more into the buffer. */
static enum kmsg_status
fill(struct kmsg *kmsg)
{
	memmove(kmsg->buffer, kmsg->buffer + kmsg->start, kmsg->end - kmsg->start);
	kmsg->end -= kmsg->start;
	kmsg->start = 0;
	ssize_t n = read(kmsg->fd, kmsg->buffer + kmsg->end, kmsg->capacity - kmsg->end);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? KMSG_NOTHING : KMSG_ERROR;
	kmsg->end += (size_t)n;
	if (n > 0) {
		kmsg->expecting = false;
		return KMSG_RECORD;
	}
	if (kmsg->growing || kmsg->expecting)
		return KMSG_NOTHING;
	kmsg->at_end = true;
	return KMSG_END;
}

enum kmsg_status
kmsg_read(struct kmsg *kmsg, const char **bytes, size_t *length)
{
	if (kmsg->device)
		return read_device(kmsg, bytes, length);
	while (!next_line(kmsg, bytes, length)) {
		if (is_oversized(kmsg))
			return KMSG_OVERSIZED;
		enum kmsg_status status = fill(kmsg);
		if (status == KMSG_END && next_line(kmsg, bytes, length))
			return KMSG_RECORD;
		if (status != KMSG_RECORD)
			return status;
	}
	return KMSG_RECORD;
}

void
kmsg_rewind(struct kmsg *kmsg)
{
	lseek(kmsg->fd, 0, SEEK_SET);
}

void
kmsg_wait(struct kmsg *kmsg, uint64_t timeout_ns)
{
	struct pollfd input = {.fd = kmsg->fd, .events = POLLIN};
	if (kmsg->growing)
		stop_poll(NULL, 0, timeout_ns < FILE_POLL_NS ? timeout_ns : FILE_POLL_NS);
	else if (stop_poll(&input, 1, timeout_ns) > 0 && (input.revents & POLLHUP) != 0)
		kmsg->expecting = false;
}
