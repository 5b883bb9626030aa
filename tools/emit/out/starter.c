/* starter - runs a program again and again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "starter.h"

#include "array.h"
#include "diag.h"
#include "fd.h"
#include "line.h"
#include "num.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Name in ps(1), at most 15 bytes. */
#define PROCESS_NAME "emit: exec"

/* Bytes copied at a time. */
#define COPY_BYTES 65536

/* Environment of the program: without secrets of other sinks. */
static const char *const passed_on[] = {"PATH", "HOME", "LANG", "TZ", "NODE_NAME"};

#define PASSED_ON ARRAY_COUNT(passed_on)

/* Read exactly `length` bytes. Return false at end of file or on an error. */
static bool
read_all(int fd, void *into, size_t length)
{
	for (char *at = into; length > 0;) {
		ssize_t n = read(fd, at, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		length -= (size_t)n;
	}
	return true;
}

/* --- in the starter process --- */

/* Read the lines of a run into a memfd, so that neither the program nor the starter blocks the
 * other. Return the descriptor, or -1 with errno. Exit if emit is gone. */
static int
take_lines(int fd, uint64_t length)
{
	char bytes[COPY_BYTES];
	int file = memfd_create("events", MFD_CLOEXEC);
	int error = file < 0 ? errno : 0;
	while (length > 0) {
		size_t part = length < sizeof bytes ? (size_t)length : sizeof bytes;
		if (!read_all(fd, bytes, part))
			_exit(0);
		if (error == 0 && line_write(file, bytes, part) < 0)
			error = errno;
		length -= part;
	}
	if (error == 0 && lseek(file, 0, SEEK_SET) < 0)
		error = errno;
	if (error == 0)
		return file;
	fd_close(file);
	errno = error;
	return -1;
}

/* PR_SET_PDEATHSIG does not help: a confined emit may not signal a process outside its domain. So
 * detect emit's end by the socket. */
static void
wait_for_end(int fd, pid_t pid, int pidfd, int timeout_ms, struct starter_end *end)
{
	struct pollfd fds[] = {{.fd = pidfd, .events = POLLIN}, {.fd = fd, .events = POLLRDHUP}};
	int count;
	do
		count = poll(fds, 2, timeout_ms);
	while (count < 0 && errno == EINTR);
	end->was_late = count == 0;
	/* Kill the whole process group. */
	if (fds[0].revents == 0)
		kill(-pid, SIGKILL);
	while (waitid(P_PIDFD, (id_t)pidfd, &end->info, WEXITED) < 0 && errno == EINTR)
		continue;
}

static void
run_once(int fd, const char *path, int timeout_ms, char *const *environment, int lines, int nowhere,
	struct starter_end *end)
{
	const char *argv[] = {path, NULL};
	const struct proc_command command = {.path = path,
		.argv = (char *const *)argv,
		.environment = environment,
		.in = lines,
		.out = nowhere};
	int pidfd;
	pid_t pid = proc_spawn(&command, &pidfd);
	if (pid < 0) {
		end->error = errno;
		return;
	}
	wait_for_end(fd, pid, pidfd, timeout_ms, end);
	close(pidfd);
}

/* Copy the variables in `passed_on`. */
static void
fill_environment(char *environment[PASSED_ON + 1])
{
	size_t count = 0;
	for (size_t i = 0; i < PASSED_ON; i++) {
		const char *value = getenv(passed_on[i]);
		if (value != NULL &&
			asprintf(&environment[count], "%s=%s", passed_on[i], value) >= 0)
			count++;
	}
	environment[count] = NULL;
}

static _Noreturn void
serve(int fd, const char *path, int timeout_ms)
{
	char *environment[PASSED_ON + 1];
	uint64_t length;
	prctl(PR_SET_NAME, PROCESS_NAME);
	/* Only the end of emit ends the starter. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	fill_environment(environment);
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	while (read_all(fd, &length, sizeof length)) {
		struct starter_end end = {.error = 0};
		int lines = take_lines(fd, length);
		if (lines < 0 || nowhere < 0)
			end.error = errno;
		else
			run_once(fd, path, timeout_ms, environment, lines, nowhere, &end);
		fd_close(lines);
		if (line_write(fd, (const char *)&end, sizeof end) < 0)
			break;
	}
	_exit(0);
}

int
starter_begin(const char *path, uint64_t timeout_ms)
{
	int ends[2], pidfd;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	pid_t pid = proc_fork(ends[1], &pidfd);
	if (pid == 0)
		serve(ends[1], path, timeout_ms < INT32_MAX ? (int)timeout_ms : INT32_MAX);
	fd_close(ends[1]);
	if (pid < 0) {
		fd_close(ends[0]);
		return -1;
	}
	close(pidfd);
	return ends[0];
}

/* --- in emit --- */

int
starter_run(int fd, const char *lines, size_t length, struct starter_end *end)
{
	const uint64_t size = length;
	if (line_write(fd, (const char *)&size, sizeof size) < 0 ||
		line_write(fd, lines, length) < 0)
		return -1;
	errno = EPIPE;
	return read_all(fd, end, sizeof *end) ? 0 : -1;
}
