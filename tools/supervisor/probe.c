/* probe - checks which files, sockets and ports of this node the service can use. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include "clock.h"
#include "logstdin.h"
#include "num.h"
#include "owner.h"
#include "ownfile.h"
#include "sysfs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_NS NUM_NS_PER_S

/* The beginning of answers_give()'s index, after the response's head. */
#define INDEX_BEGIN "\r\n\r\nnic-health-monitor "

/* More than the head of such a response. */
#define ANSWER_SIZE 1024

/* Check access with the effective user and group. Return 0 or an errno value. */
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

/* Return 0 if the path can be opened, else an errno value. Closes it again. */
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
	if (logstdin_is_meant(path))
		return logstdin_error();
	if (stat(path, &there) < 0)
		return errno;
	/* Do not open a FIFO: its writer would take us for the reader. */
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

bool
probe_parent(const char *path, char parent[PATH_MAX])
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

/* Return why nothing can be created in the directory; 0: it can. */
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
	if (error != 0 || statvfs(directory, &space) < 0)
		return error;
	/* A file system without a size, such as an unlimited tmpfs, is never full. One without a
	 * number of inodes, such as btrfs, has always some. */
	bool has_room = space.f_blocks == 0 || space.f_bavail > 0;
	bool has_inodes = space.f_files == 0 || space.f_favail > 0;
	return has_room && has_inodes ? 0 : ENOSPC;
}

/* Return why an existing file, or a path that names none, cannot be used; 0: it can, or does not
 * exist yet. */
static int
file_error(const char *path, bool needs_writing)
{
	struct stat there;
	size_t length = strlen(path);
	/* The stages create what is missing above the file, here the directory itself. */
	if (length > 0 && path[length - 1] == '/')
		return EISDIR;
	if (lstat(path, &there) == 0 && S_ISLNK(there.st_mode))
		return READINESS_LINK;
	if (stat(path, &there) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
	if (!S_ISREG(there.st_mode))
		return S_ISDIR(there.st_mode) ? EISDIR : READINESS_SPECIAL;
	return access_error(path, needs_writing ? R_OK | W_OK : R_OK);
}

/* Endings of the files that stages keep beside a state file or the spool. */
static const char *const beside[] = {".lock", "-wal", "-shm", "-journal", NULL};

struct readiness_place
probe_place(const char *path, bool needs_writing, unsigned levels)
{
	struct readiness_place place = {.path = path};
	char directory[PATH_MAX], above[PATH_MAX];
	if (path == NULL)
		return place;
	if (!ownfile_may_keep_all(path, beside, place.refusal))
		return place;
	place.error = file_error(path, needs_writing);
	if (!probe_parent(path, directory)) {
		place.directory_error = ENAMETOOLONG;
		return place;
	}
	place.directory_error = directory_error(directory);
	for (unsigned i = 0;
		i < levels && place.directory_error == ENOENT && probe_parent(directory, above);
		i++) {
		if (directory_error(above) != ENOENT)
			place.directory_error = directory_error(above);
		memcpy(directory, above, sizeof directory);
	}
	return place;
}

/* Run probe_place() as another user, in a child process because there is no way back. Return false
 * if that fails. */
static bool
probe_as(const struct stat *owner, struct readiness_place *place, bool needs_writing,
	unsigned levels)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		if (owner_become(owner) < 0)
			_exit(EXIT_FAILURE);
		*place = probe_place(place->path, needs_writing, levels);
		place->owner = owner->st_uid;
		_exit(write(ends[1], place, sizeof *place) == sizeof *place ? 0 : EXIT_FAILURE);
	}
	close(ends[1]);
	struct readiness_place told;
	bool is_told = pid > 0 && read(ends[0], &told, sizeof told) == sizeof told;
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (is_told)
		*place = told;
	return is_told;
}

/* Get the status of the file's directory or, of up to `levels` that do not exist yet, of the one in
 * which they will be. Return false if that fails. */
static bool
stat_directory(const char *path, unsigned levels, struct stat *status)
{
	char directory[PATH_MAX], above[PATH_MAX];
	if (!probe_parent(path, directory))
		return false;
	while (stat(directory, status) < 0) {
		if (errno != ENOENT || levels-- == 0 || !probe_parent(directory, above))
			return false;
		memcpy(directory, above, sizeof directory);
	}
	return true;
}

struct readiness_place
probe_owners_place(const char *path, bool needs_writing, unsigned levels)
{
	struct readiness_place place = {.path = path};
	struct stat owner;
	return path != NULL && geteuid() == 0 && stat_directory(path, levels, &owner) &&
			       owner.st_uid != 0 && probe_as(&owner, &place, needs_writing, levels)
		       ? place
		       : probe_place(path, needs_writing, levels);
}

/* --- ports --- */

/* Parse an IPv4 or IPv6 address. Return its length, or 0 if it is invalid. */
static socklen_t
parse_address(const char *address, int port, struct sockaddr_storage *out)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)out;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
	*out = (struct sockaddr_storage){.ss_family = AF_INET6};
	v6->sin6_port = htons((uint16_t)port);
	if (inet_pton(AF_INET6, address, &v6->sin6_addr) == 1)
		return sizeof *v6;
	*out = (struct sockaddr_storage){.ss_family = AF_INET};
	v4->sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, address, &v4->sin_addr) == 1 ? sizeof *v4 : 0;
}

static int
bind_error(const char *address, int port)
{
	struct sockaddr_storage at;
	int yes = 1, error = 0;
	socklen_t length = parse_address(address, port, &at);
	if (length == 0)
		return EINVAL;
	int fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	/* Like a server, ignore old connections: only a listening socket is in the way. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (bind(fd, (const struct sockaddr *)&at, length) < 0)
		error = errno;
	close(fd);
	return error;
}

int
probe_port(const char *address, int port)
{
	int error = bind_error(address != NULL ? address : "::", port);
	return address == NULL && error == EAFNOSUPPORT ? bind_error("0.0.0.0", port) : error;
}

/* --- another service --- */

bool
probe_user(const char *path, char who[ATOMFILE_HOLDER_SIZE])
{
	char *lock;
	pid_t pid;
	if (path == NULL || asprintf(&lock, "%s.lock", path) < 0)
		return false;
	bool held = atomfile_find_holder(lock, &pid) != ATOMFILE_NOBODY;
	if (held)
		atomfile_describe_holder(lock, who);
	free(lock);
	return held;
}

/* Wait for the events. Return false on timeout. */
static bool
wait_for(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd polled = {.fd = fd, .events = events};
	for (;;) {
		int left_ms = clock_left_ms(deadline_ns);
		if (left_ms == 0)
			return false;
		int ready = poll(&polled, 1, left_ms);
		if (ready > 0)
			return true;
		if (ready < 0 && errno != EINTR)
			return false;
	}
}

/* Return a connected descriptor, or -1. A service that listens on all addresses is reachable at
 * 127.0.0.1. */
static int
connect_to(const char *address, int port, uint64_t deadline_ns)
{
	struct sockaddr_storage at;
	int error = 0;
	socklen_t size = sizeof error;
	socklen_t length = parse_address(address != NULL ? address : "127.0.0.1", port, &at);
	int fd = length > 0 ? socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
			    : -1;
	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&at, length) == 0)
		return fd;
	if (errno == EINPROGRESS && wait_for(fd, POLLOUT, deadline_ns) &&
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0)
		return fd;
	close(fd);
	return -1;
}

/* Read the response until the index begins. Return false if it does not. */
static bool
reads_index(int fd, uint64_t deadline_ns)
{
	char text[ANSWER_SIZE];
	size_t length = 0;
	while (length < sizeof text - 1 && wait_for(fd, POLLIN, deadline_ns)) {
		ssize_t got = recv(fd, text + length, sizeof text - 1 - length, 0);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			return false;
		length += (size_t)got;
		text[length] = '\0';
		if (strstr(text, INDEX_BEGIN) != NULL)
			return true;
	}
	return false;
}

bool
probe_server(const char *address, int port)
{
	static const char request[] =
		"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	uint64_t deadline_ns = clock_monotonic_ns() + ANSWER_NS;
	int fd = connect_to(address, port, deadline_ns);
	if (fd < 0)
		return false;
	/* The request fits into any socket's buffer. */
	bool answers = send(fd, request, sizeof request - 1, MSG_NOSIGNAL) ==
			       (ssize_t)sizeof request - 1 &&
		       reads_index(fd, deadline_ns);
	close(fd);
	return answers;
}
