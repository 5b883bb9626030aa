/* atomfile - replaces, reads and locks the program's own files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "atomfile.h"

#include "fd.h"
#include "line.h"
#include "strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES ((size_t)16 << 10)

/* A rename is durable once its directory is synced. */
static int
sync_directory(const char *path)
{
	char *directory = ownfile_directory_new(path);
	if (directory == NULL)
		return -1;
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(directory);
	if (fd < 0)
		return -1;
	int status = fsync(fd);
	/* A file system that cannot sync a directory needs no sync. */
	if (status < 0 && (errno == EINVAL || errno == EROFS))
		status = 0;
	fd_close(fd);
	return status;
}

/* Create a new file. Remove an existing one first: it is left over from a killed process, or
 * another user's process may have it open. */
static int
make_new(const char *path, mode_t mode)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, mode);
	if (fd >= 0 || errno != EEXIST || unlink(path) < 0)
		return fd;
	return open(path, flags, mode);
}

static int
write_durably(const char *path, const char *bytes, size_t length, mode_t mode)
{
	int fd = make_new(path, mode);
	if (fd < 0)
		return -1;
	int status = line_write(fd, bytes, length);
	if (status == 0)
		status = fsync(fd);
	int saved_errno = errno;
	/* Some file systems report a full disk only here. */
	if (close(fd) < 0 && status == 0)
		return -1;
	errno = saved_errno;
	return status;
}

/* Return whether rename() may replace `path`; otherwise false with EEXIST. Devices, FIFOs and
 * sockets, such as /dev/null, may be in use by other programs. A directory cannot be replaced by
 * rename() anyway. */
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
	struct strbuf text = {0};
	char *room;

	while ((room = strbuf_reserve(&text, READ_BYTES)) != NULL) {
		ssize_t got = read(fd, room, READ_BYTES);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		if (got == 0) {
			*length = text.length;
			return strbuf_detach_new(&text);
		}
		strbuf_wrote(&text, (size_t)got);
		if (text.length > max_bytes) {
			errno = EFBIG;
			break;
		}
	}
	strbuf_fini(&text);
	return NULL;
}

void
atomfile_explain(const char *path, int error, char reason[OWNFILE_REASON_SIZE])
{
	if (error != EPERM || ownfile_may_keep(path, reason))
		snprintf(reason, OWNFILE_REASON_SIZE, "%s", strerror(error));
}

bool
atomfile_has_changed(const char *path, const struct stat *seen, struct stat *now)
{
	return stat(path, now) == 0 &&
	       (now->st_ino != seen->st_ino || now->st_size != seen->st_size ||
		       now->st_mtim.tv_sec != seen->st_mtim.tv_sec ||
		       now->st_mtim.tv_nsec != seen->st_mtim.tv_nsec);
}

char *
atomfile_read_new(const char *path, size_t max_bytes, size_t *length)
{
	/* `path` may be a FIFO: open() must not block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	struct stat status;
	char *bytes = NULL;
	if (ownfile_require(fd) == 0 && fstat(fd, &status) == 0) {
		/* Do not fill the memory with a file that is too large. */
		if (status.st_size > 0 && (size_t)status.st_size > max_bytes)
			errno = EFBIG;
		else
			bytes = atomfile_read_fd_new(fd, max_bytes, length);
	}
	fd_close(fd);
	return bytes;
}

/* --- locks --- */

/* The lock is flock(2). The fcntl(2) lock only identifies the holder: F_GETLK returns its process
 * id, valid in the caller's PID namespace, and the lock ends with the process. Where both are the
 * same lock, as on NFS, F_SETLK fails and the process id stays unknown. */
static void
show_owner(int fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	fcntl(fd, F_SETLK, &whole);
}

int
atomfile_lock(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, ATOMFILE_MODE);
	if (fd < 0)
		return -1;
	if (ownfile_require(fd) == 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		show_owner(fd);
		return fd;
	}
	fd_close(fd);
	return -1;
}

bool
atomfile_is_locked(int fd, const char *path)
{
	struct stat held, named;
	return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
}

enum atomfile_holder
atomfile_find_holder(const char *path, pid_t *pid)
{
	struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return ATOMFILE_NOBODY;
	int status = fcntl(fd, F_GETLK, &whole);
	close(fd);
	if (status < 0 || whole.l_type == F_UNLCK)
		return ATOMFILE_NOBODY;
	if (whole.l_pid <= 0)
		return ATOMFILE_STRANGER;
	*pid = whole.l_pid;
	return ATOMFILE_PROCESS;
}

const char *
atomfile_describe_holder(const char *path, char text[ATOMFILE_HOLDER_SIZE])
{
	pid_t pid;
	switch (atomfile_find_holder(path, &pid)) {
	case ATOMFILE_PROCESS:
		snprintf(text, ATOMFILE_HOLDER_SIZE, "process %ld", (long)pid);
		return text;
	case ATOMFILE_STRANGER:
		return strcpy(text, "a process of another container");
	case ATOMFILE_NOBODY:
		break;
	}
	return strcpy(text, "another process");
}
