/* Unit tests of the supervisor's probe: which files and ports can be used, without changing
 * them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/probe.h"

#include "check.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Return `name` in the test's directory; valid until the next call but one. */
static const char *
in_dir(const char *name)
{
	static char paths[2][300];
	static int next;
	next = !next;
	snprintf(paths[next], sizeof paths[next], "%s/%s", check_dir(), name);
	return paths[next];
}

static void
programs(void)
{
	CHECK_INT(probe_program("/bin", "sh"), 0);
	CHECK_INT(probe_program(check_dir(), "none"), ENOENT);
	chmod(check_file("plain", ""), 0644);
	CHECK_INT(probe_program(check_dir(), "plain"), EACCES);
}

static void
reading(void)
{
	check_file("text", "one\ntwo\n");
	check_file("empty", "");
	mkfifo(in_dir("fifo"), 0600);
	CHECK_INT(probe_line(in_dir("text")), 0);
	CHECK_INT(probe_line(in_dir("empty")), ENODATA);
	CHECK_INT(probe_line(in_dir("none")), ENOENT);
	CHECK_INT(probe_log(in_dir("text")), 0);
	CHECK_INT(probe_log(in_dir("none")), ENOENT);
	CHECK_INT(probe_directory(check_dir()), 0);
	CHECK_INT(probe_directory(in_dir("text")), ENOTDIR);
	CHECK_INT(probe_directory(in_dir("none")), ENOENT);
}

static void
fifo(void)
{
	const char *path = in_dir("fifo");
	CHECK_INT(mkfifo(path, 0600), 0);
	/* A writer that waits for a reader is not let in. */
	CHECK_INT(probe_log(path), 0);
	CHECK(open(path, O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO);
}

static void
check_place(const char *path, int error, int directory_error)
{
	struct readiness_place place = probe_place(path, true, 1);
	check_row("%s", path);
	CHECK_STR(place.path, path);
	CHECK_INT(place.error, error);
	CHECK_INT(place.directory_error, directory_error);
}

static void
places(void)
{
	check_file("file", "");
	mkdir(in_dir("dir"), 0700);
	mkfifo(in_dir("fifo"), 0600);
	check_place(in_dir("file"), 0, 0);
	check_place(in_dir("new"), 0, 0);
	check_place(in_dir("new/x"), 0, 0);
	check_place(in_dir("new//x"), 0, 0);
	/* One directory is created, but not two. */
	check_place(in_dir("new/new/x"), 0, ENOENT);
	check_place(in_dir("file/x"), 0, ENOTDIR);
	check_place(in_dir("dir"), EISDIR, 0);
	check_place(in_dir("none/"), EISDIR, 0);
	check_place(in_dir("file/"), EISDIR, 0);
	check_place(in_dir("fifo"), READINESS_SPECIAL, 0);
	CHECK_INT(symlink("nowhere", in_dir("link")), 0);
	check_place(in_dir("link"), READINESS_LINK, 0);
	check_place("/proc/x", 0, geteuid() == 0 ? 0 : EACCES);
	CHECK_STR(probe_place(NULL, true, 1).path, NULL);
	/* As before. */
	size_t count = 0;
	DIR *dir = opendir(check_dir());
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	CHECK_INT((int64_t)count, 6);
}

static void
relative_places(void)
{
	CHECK_INT(chdir(check_dir()), 0);
	check_place("new", 0, 0);
	check_place("new/x", 0, 0);
	check_place("new/new/x", 0, ENOENT);
	check_place("/new", 0, access("/", W_OK) == 0 ? 0 : errno);
}

/* Listen on a port of 127.0.0.1, and return it. */
static int
listen_anywhere(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	CHECK_INT(bind(fd, (struct sockaddr *)&address, length), 0);
	CHECK_INT(listen(fd, 1), 0);
	CHECK_INT(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	return ntohs(address.sin_port);
}

static void
ports(void)
{
	int port = listen_anywhere();
	CHECK_INT(probe_port("127.0.0.1", port), EADDRINUSE);
	CHECK_INT(probe_port(NULL, port), EADDRINUSE);
	CHECK_INT(probe_port("127.0.0.2", port), 0);
	CHECK_INT(probe_port("127.0.0.2", port), 0);
	CHECK_INT(probe_port("198.51.100.1", port), EADDRNOTAVAIL);
	CHECK_INT(probe_port("localhost", port), EINVAL);
}

static const struct check_test tests[] = {
	{"a program can be started if it exists and is executable", programs},
	{"a file that is missing, empty or not a directory is reported", reading},
	{"probing a FIFO does not unblock its writers", fifo},
	{"a place for a file is checked as it will be used, and left unchanged", places},
	{"relative paths are below the working directory", relative_places},
	{"a port is free if no server listens on it", ports},
};
CHECK_MAIN(tests)
