/* atomfile - files that are replaced as a whole. */
#include "atomfile.h"

#include "line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A rename is durable once its directory is. */
static int
sync_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash == NULL   ? strdup(".")
			  : slash == path ? strdup("/")
					  : strndup(path, (size_t)(slash - path));
	if (directory == NULL)
		return -1;
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(directory);
	if (fd < 0)
		return -1;
	int status = fsync(fd);
	/* A file system that cannot sync a directory has nothing to be lost that way. */
	if (status < 0 && (errno == EINVAL || errno == EROFS))
		status = 0;
	int saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return status;
}

static int
write_durably(const char *path, const char *bytes, size_t length, mode_t mode)
{
	/* Nor may a FIFO that lies here make anybody wait. */
	int fd = open(
		path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
	if (fd < 0)
		return -1;
	int status = line_write(fd, bytes, length);
	if (status == 0)
		status = fsync(fd);
	int saved_errno = errno;
	/* Some file systems say only here that there was no room. */
	if (close(fd) < 0 && status == 0)
		return -1;
	errno = saved_errno;
	return status;
}

/* Whether a file may take the place: a device, a FIFO or a socket that lies there is somebody's, and /dev/null everybody's. A
 * directory cannot be replaced by rename() anyway. */
static bool
is_replaceable(const char *path)
{
	struct stat there;
	if (stat(path, &there) < 0 || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode))
		return true;
	errno = EEXIST;
	return false;
}

int
atomfile_write(const char *path, const char *bytes, size_t length, mode_t mode)
{
	char *temporary;
	if (!is_replaceable(path))
		return -1;
	if (asprintf(&temporary, "%s.tmp", path) < 0) {
		errno = ENOMEM;
		return -1;
	}

	int status = write_durably(temporary, bytes, length, mode);
	if (status == 0)
		status = rename(temporary, path);
	int saved_errno = errno;
	if (status < 0)
		unlink(temporary);
	free(temporary);
	errno = saved_errno;
	return status < 0 ? -1 : sync_directory(path);
}

char *
atomfile_read_fd_new(int fd, size_t max_bytes, size_t *length)
{
	size_t used = 0, capacity = 0;
	char *bytes = NULL;

	for (;;) {
		if (capacity - used < 2) {
			capacity = capacity == 0 ? 4096 : 2 * capacity;
			char *grown = realloc(bytes, capacity);
			if (grown == NULL)
				break;
			bytes = grown;
		}
		ssize_t got = read(fd, bytes + used, capacity - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		if (got == 0) {
			bytes[used] = '\0';
			*length = used;
			return bytes;
		}
		used += (size_t)got;
		if (used > max_bytes) {
			errno = EFBIG;
			break;
		}
	}
	int saved_errno = errno;
	free(bytes);
	errno = saved_errno;
	return NULL;
}

char *
atomfile_read_new(const char *path, size_t max_bytes, size_t *length)
{
	/* What should be a file may be a FIFO: opening one must not wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	char *bytes = atomfile_read_fd_new(fd, max_bytes, length);
	int saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return bytes;
}

int
atomfile_lock(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, ATOMFILE_MODE);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	int saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return -1;
}

bool
atomfile_is_locked(int fd, const char *path)
{
	struct stat held, named;
	return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
}
