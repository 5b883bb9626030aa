/* probe - what of this node's files and sockets can be used, without changing anything. */
#include "probe.h"

#include "sysfs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* faccessat(2) with the rights that count. */
static int
access_error(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? 0 : errno;
}

int
probe_program(const char *directory, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/%s", directory, name);
	return n < 0 || (size_t)n >= sizeof path ? ENAMETOOLONG : access_error(path, X_OK);
}

/* 0 when it can be opened, which is then undone. */
static int
open_error(const char *path, int flags)
{
	int fd = open(path, flags | O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

int
probe_directory(const char *path)
{
	return open_error(path, O_DIRECTORY);
}

int
probe_log(const char *path)
{
	struct stat there;
	if (stat(path, &there) < 0)
		return errno;
	/* Whoever waits for the reader of a FIFO would take us for it. */
	return S_ISFIFO(there.st_mode) ? access_error(path, R_OK) : open_error(path, 0);
}

int
probe_line(const char *path)
{
	char text[SYSFS_TEXT_MAX];
	if (sysfs_read_file(path, text, sizeof text) != SYSFS_OK)
		return errno;
	return *text != '\0' ? 0 : ENODATA;
}

/* --- places --- */

/* The directory that `path` is in. False when it is too long. */
static bool
take_parent(const char *path, char parent[PATH_MAX])
{
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	while (length > 0 && path[length - 1] != '/')
		length--;
	while (length > 1 && path[length - 1] == '/')
		length--;
	if (length >= PATH_MAX)
		return false;
	if (length == 0) {
		strcpy(parent, ".");
		return true;
	}
	memcpy(parent, path, length);
	parent[length] = '\0';
	return true;
}

/* Why nothing can be made in a directory. */
static int
directory_error(const char *directory)
{
	struct statvfs space;
	struct stat there;
	if (stat(directory, &there) < 0)
		return errno;
	if (!S_ISDIR(there.st_mode))
		return ENOTDIR;
	int error = access_error(directory, W_OK | X_OK);
	/* A file system without a size, such as a tmpfs without a limit, is never full. */
	if (error == 0 && statvfs(directory, &space) == 0 && space.f_blocks > 0 &&
		space.f_bavail == 0)
		return ENOSPC;
	return error;
}

/* Why a file that is there cannot be used. */
static int
file_error(const char *path, bool needs_writing)
{
	struct stat there;
	if (stat(path, &there) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
	if (!S_ISREG(there.st_mode))
		return S_ISDIR(there.st_mode) ? EISDIR : READINESS_SPECIAL;
	return access_error(path, needs_writing ? R_OK | W_OK : R_OK);
}

struct readiness_place
probe_place(const char *path, bool needs_writing)
{
	struct readiness_place place = {.path = path};
	char directory[PATH_MAX], above[PATH_MAX];
	if (path == NULL)
		return place;
	place.error = file_error(path, needs_writing);
	if (!take_parent(path, directory)) {
		place.directory_error = ENAMETOOLONG;
		return place;
	}
	place.directory_error = directory_error(directory);
	if (place.directory_error == ENOENT && take_parent(directory, above) &&
		directory_error(above) != ENOENT)
		place.directory_error = directory_error(above);
	return place;
}

/* --- ports --- */

static int
bind_error(const struct sockaddr *address, socklen_t length)
{
	int yes = 1, error = 0;
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	/* As a server does: only one that listens is in the way, not what is left of old connections. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (bind(fd, address, length) < 0)
		error = errno;
	close(fd);
	return error;
}

int
probe_port(const char *address, int port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	if (address == NULL) {
		int error = bind_error((struct sockaddr *)&v6, sizeof v6);
		if (error != EAFNOSUPPORT)
			return error;
		return bind_error((struct sockaddr *)&v4, sizeof v4);
	}
	if (inet_pton(AF_INET6, address, &v6.sin6_addr) == 1)
		return bind_error((struct sockaddr *)&v6, sizeof v6);
	return inet_pton(AF_INET, address, &v4.sin_addr) == 1
		       ? bind_error((struct sockaddr *)&v4, sizeof v4)
		       : EINVAL;
}
