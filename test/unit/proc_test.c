/* Unit tests of proc: starting other programs, and the meaning of their ends. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "proc.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A started program and the ends of its pipes. */
struct started {
	pid_t pid;
	int pidfd, to, from;
};

static struct started
start(const char *path, char *const *argv)
{
	struct started started = {.pid = -1, .pidfd = -1};
	int in[2], out[2];
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		abort();
	const struct proc_command command = {
		.path = path, .argv = argv, .in = in[0], .out = out[1]};
	started.pid = proc_spawn(&command, &started.pidfd);
	CHECK(started.pid > 0);
	CHECK(started.pidfd >= 0);
	close(in[0]);
	close(out[1]);
	started.to = in[1];
	started.from = out[0];
	return started;
}

/* Return everything that the program writes, to free(). */
static char *
output_new(struct started *started)
{
	static char text[20000];
	size_t used = 0;
	ssize_t n;
	while ((n = read(started->from, text + used, sizeof text - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	return strdup(text);
}

static siginfo_t
finish(struct started *started)
{
	siginfo_t info = {0};
	CHECK_INT(waitid(P_PIDFD, (id_t)started->pidfd, &info, WEXITED), 0);
	CHECK_INT(info.si_pid, started->pid);
	close(started->pidfd);
	close(started->to);
	close(started->from);
	return info;
}

/* Run a shell script on `input` to its end; return its output, to free(). */
static char *
shell_new(const char *script, const char *input, siginfo_t *info)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(script), NULL};
	struct started started = start("/bin/sh", argv);
	if (*input != '\0')
		CHECK(write(started.to, input, strlen(input)) == (ssize_t)strlen(input));
	close(started.to);
	started.to = -1;
	char *output = output_new(&started);
	*info = finish(&started);
	free(argv[2]);
	return output;
}

static void
pipes(void)
{
	siginfo_t info;
	char *output = shell_new("tr a-z A-Z; exit 5", "hello\n", &info);
	CHECK_STR(output, "HELLO\n");
	CHECK_INT(info.si_code, CLD_EXITED);
	CHECK_INT(info.si_status, 5);
	free(output);
}

static void
only_three_descriptors(void)
{
	char *argv[] = {(char[]){"ls"}, (char[]){"/proc/self/fd"}, NULL};
	/* Close the descriptors that the test itself inherited. */
	CHECK_INT(close_range(3, ~0U, CLOSE_RANGE_CLOEXEC), 0);
	int extra = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct started started = start("/bin/ls", argv);
	char *output = output_new(&started);
	/* The fourth makes it end with its parent; ls opens the fifth for the directory. */
	CHECK_STR(output, "0\n1\n2\n3\n4\n");
	free(output);
	finish(&started);
	close(extra);
}

static void
standard_descriptors(void)
{
	int out[2];
	char text[20] = "";
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"cat; echo done"}, NULL};
	int saved_in = fcntl(0, F_DUPFD_CLOEXEC, 10), saved_out = fcntl(1, F_DUPFD_CLOEXEC, 10);
	CHECK(pipe2(out, O_CLOEXEC) == 0);
	int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(dup3(out[1], 0, O_CLOEXEC) == 0);
	CHECK(dup3(empty, 1, O_CLOEXEC) == 1);

	int pidfd = -1;
	const struct proc_command command = {.path = "/bin/sh", .argv = argv, .in = 1, .out = 0};
	pid_t pid = proc_spawn(&command, &pidfd);
	dup2(saved_in, 0);
	dup2(saved_out, 1);
	close(out[1]);
	CHECK(pid > 0);
	CHECK_INT(read(out[0], text, sizeof text - 1), 5);
	CHECK_STR(text, "done\n");
	waitpid(pid, NULL, 0);
	close(pidfd);
}

/* Read to the end and close the descriptor; return the text, to free(). */
static char *
rest_new(int fd)
{
	char text[400];
	size_t used = 0;
	ssize_t n;
	while ((n = read(fd, text + used, sizeof text - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	close(fd);
	return strdup(text);
}

/* Run a program with both outputs in its own pipes. */
static void
check_own_stderr(
	const char *path, char *const *argv, const char *expected_out, const char *expected_err)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC), out[2], err[2], pidfd = -1;
	CHECK(pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
	const struct proc_command command = {
		.path = path, .argv = argv, .in = in, .out = out[1], .err = err[1]};
	pid_t pid = proc_spawn(&command, &pidfd);
	close(in);
	close(out[1]);
	close(err[1]);
	/* It ends when the other end is closed everywhere. */
	char *out_text = rest_new(out[0]), *err_text = rest_new(err[0]);
	CHECK_STR(out_text, expected_out);
	CHECK_HAS(err_text, expected_err);
	free(out_text);
	free(err_text);
	waitpid(pid, NULL, 0);
	close(pidfd);
}

static void
own_stderr(void)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"},
		(char[]){"echo out; echo err >&2; ls /proc/self/fd | wc -l"}, NULL};
	check_capture(STDERR_FILENO);
	/* 0 to 2, the one that makes it end with its parent, and the listed directory. */
	CHECK_INT(close_range(3, ~0U, CLOSE_RANGE_CLOEXEC), 0);
	check_own_stderr("/bin/sh", argv, "out\n5\n", "err\n");
	/* So does the error of a program that cannot be run. */
	check_own_stderr("/no/such/program", argv, "", "/no/such/program: No such file");
	char *shared = check_captured_new(STDERR_FILENO);
	CHECK_STR(shared, "");
	free(shared);
}

static void
shared_stderr(void)
{
	siginfo_t info;
	check_capture(STDERR_FILENO);
	free(shell_new("echo err >&2", "", &info));
	char *shared = check_captured_new(STDERR_FILENO);
	CHECK_STR(shared, "err\n");
	free(shared);
}

static void
one_descriptor_for_both(void)
{
	char *argv[] = {
		(char[]){"sh"}, (char[]){"-c"}, (char[]){"echo 1; echo 2 >&2; echo 3"}, NULL};
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC), out[2], pidfd = -1;
	CHECK(pipe2(out, O_CLOEXEC) == 0);
	const struct proc_command command = {
		.path = "/bin/sh", .argv = argv, .in = in, .out = out[1], .err = out[1]};
	pid_t pid = proc_spawn(&command, &pidfd);
	close(in);
	close(out[1]);
	char *text = rest_new(out[0]);
	CHECK_STR(text, "1\n2\n3\n");
	free(text);
	waitpid(pid, NULL, 0);
	close(pidfd);
}

static void
rotated_descriptors(void)
{
	/* Each is where another must go: stdin in 2, stdout in 0, stderr in 1. */
	char *argv[] = {
		(char[]){"sh"}, (char[]){"-c"}, (char[]){"cat; echo out; echo err >&2"}, NULL};
	int saved[3], out[2], err[2], pidfd = -1;
	for (int fd = 0; fd < 3; fd++)
		saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
	CHECK(pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
	int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup3(empty, 2, O_CLOEXEC);
	dup3(out[1], 0, O_CLOEXEC);
	dup3(err[1], 1, O_CLOEXEC);
	const struct proc_command command = {
		.path = "/bin/sh", .argv = argv, .in = 2, .out = 0, .err = 1};
	pid_t pid = proc_spawn(&command, &pidfd);
	for (int fd = 0; fd < 3; fd++)
		dup2(saved[fd], fd);
	close(out[1]);
	close(err[1]);
	char *out_text = rest_new(out[0]), *err_text = rest_new(err[0]);
	CHECK_STR(out_text, "out\n");
	CHECK_STR(err_text, "err\n");
	free(out_text);
	free(err_text);
	waitpid(pid, NULL, 0);
	close(pidfd);
}

static void
group_at_once(void)
{
	/* The parent may signal the group before the program has run at all. */
	char *argv[] = {(char[]){"sleep"}, (char[]){"1000"}, NULL};
	for (int i = 0; i < 50; i++) {
		struct started started = start("/bin/sleep", argv);
		CHECK_INT(getpgid(started.pid), started.pid);
		CHECK_INT(kill(-started.pid, SIGKILL), 0);
		siginfo_t info = finish(&started);
		CHECK_INT(info.si_status, SIGKILL);
	}
}

static void
fresh_start(void)
{
	siginfo_t info;
	char expected[100];
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	signal(SIGPIPE, SIG_IGN);
	char *output = shell_new(
		"grep -E '^Sig(Blk|Ign)' /proc/self/status; cut -d' ' -f5 /proc/$$/stat; echo $$",
		"", &info);
	CHECK_HAS(output, "SigBlk:\t0000000000000000\n");
	/* Bit 12 is SIGPIPE. */
	char *ignored = strstr(output, "SigIgn:\t");
	if (CHECK(ignored != NULL))
		CHECK((strtoul(ignored + 8, NULL, 16) & (1u << (SIGPIPE - 1))) == 0);
	/* It has its own process group: the fifth field of stat is its pid. */
	snprintf(expected, sizeof expected, "\n%d\n%d\n", (int)info.si_pid, (int)info.si_pid);
	CHECK_HAS(output, expected);
	free(output);
}

/* Wait until the process runs that program. */
static void
wait_until_runs(pid_t pid, const char *name)
{
	char path[64], comm[32] = "";
	snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	while (strncmp(comm, name, strlen(name)) != 0) {
		usleep(1000);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t length = read(fd, comm, sizeof comm - 1);
		comm[length > 0 ? length : 0] = '\0';
		close(fd);
	}
}

static void
dies_with_parent(void)
{
	int out[2], pids[2];
	CHECK(pipe2(out, O_CLOEXEC) == 0 && pipe2(pids, O_CLOEXEC) == 0);
	fflush(NULL);
	pid_t parent = fork();
	if (parent == 0) {
		char *argv[] = {(char[]){"sleep"}, (char[]){"50"}, NULL};
		int pidfd;
		const struct proc_command command = {
			.path = "/bin/sleep", .argv = argv, .in = 0, .out = out[1]};
		pid_t child = proc_spawn(&command, &pidfd);
		/* Otherwise the O_CLOEXEC of its exec would look like its end. */
		wait_until_runs(child, "sleep");
		_exit(write(pids[1], &child, sizeof child) == sizeof child ? 0 : 1);
	}
	close(out[1]);
	pid_t child = 0;
	CHECK(read(pids[0], &child, sizeof child) == sizeof child);
	waitpid(parent, NULL, 0);
	/* The pipe ends when its last writer, the orphan, is gone. */
	struct pollfd wait = {.fd = out[0], .events = POLLIN};
	CHECK_INT(poll(&wait, 1, 60000), 1);
	CHECK((wait.revents & POLLHUP) != 0);
}

static void
check_spawn_end(const char *path, int code, const char *reason)
{
	char *argv[] = {(char[]){"x"}, NULL};
	check_row("%s", path);
	check_capture(STDERR_FILENO);
	struct started started = start(path, argv);
	siginfo_t info = finish(&started);
	char *err = check_captured_new(STDERR_FILENO);
	CHECK_INT(info.si_code, CLD_EXITED);
	CHECK_INT(info.si_status, code);
	CHECK(proc_end_is_permanent(&info));
	CHECK_HAS(err, path);
	CHECK_HAS(err, reason);
	free(err);
}

static void
cannot_exec(void)
{
	check_spawn_end("/no/such/program", 127, "No such file or directory");
	check_spawn_end("/etc", 126, "Permission denied");
	check_spawn_end(check_file("not-executable", "#!/bin/sh\n"), 126, "Permission denied");
}

static void
pidfd(void)
{
	char *argv[] = {(char[]){"cat"}, NULL};
	struct started started = start("/bin/cat", argv);
	struct pollfd wait = {.fd = started.pidfd, .events = POLLIN};
	CHECK_INT(poll(&wait, 1, 0), 0);
	CHECK((fcntl(started.pidfd, F_GETFD) & FD_CLOEXEC) != 0);
	close(started.to);
	started.to = -1;
	CHECK_INT(poll(&wait, 1, 60000), 1);
	siginfo_t info = finish(&started);
	CHECK_INT(info.si_status, 0);
}

static void
descriptions(void)
{
	static const struct {
		int code, status;
		const char *text;
	} rows[] = {
		{CLD_EXITED, 0, "exited with 0"},
		{CLD_EXITED, 78, "exited with 78"},
		{CLD_EXITED, 255, "exited with 255"},
		{CLD_KILLED, SIGKILL, "killed by SIGKILL"},
		{CLD_KILLED, SIGTERM, "killed by SIGTERM"},
		{CLD_DUMPED, SIGSEGV, "killed by SIGSEGV"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[40];
		siginfo_t info = {.si_code = rows[i].code};
		info.si_status = rows[i].status;
		CHECK(proc_describe_end(&info, text, sizeof text) == text);
		CHECK_STR(text, rows[i].text);
	}
	char tiny[8];
	siginfo_t info = {.si_code = CLD_EXITED};
	CHECK_STR(proc_describe_end(&info, tiny, sizeof tiny), "exited ");
}

static void
described_for_real(void)
{
	siginfo_t info;
	char text[40];
	free(shell_new("kill -KILL $$", "", &info));
	CHECK_STR(proc_describe_end(&info, text, sizeof text), "killed by SIGKILL");
	free(shell_new("exit 71", "", &info));
	CHECK_STR(proc_describe_end(&info, text, sizeof text), "exited with 71");
}

static void
permanence(void)
{
	/* spec#supervision: after these a stage is not restarted. */
	static const int permanent[] = {64, 65, 66, 77, 78, 126, 127};
	for (int code = 0; code <= 127; code++) {
		bool expected = false;
		for (size_t i = 0; i < CHECK_COUNT(permanent); i++)
			expected |= permanent[i] == code;
		siginfo_t info = {.si_code = CLD_EXITED};
		info.si_status = code;
		check_row("exit %d", code);
		CHECK_INT(proc_end_is_permanent(&info), expected);
	}
	for (int number = 1; number < 65; number++) {
		siginfo_t info = {.si_code = CLD_KILLED};
		info.si_status = number;
		check_row("signal %d", number);
		CHECK(!proc_end_is_permanent(&info));
		info.si_code = CLD_DUMPED;
		CHECK(!proc_end_is_permanent(&info));
	}
}

static bool
is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* The child's exit code says what it found wrong. */
static void
forked(void)
{
	int ours = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int kept = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int given = open("/dev/null", O_RDONLY);
	int pidfd = -1;
	siginfo_t info = {0};
	pid_t pid = proc_fork(kept, &pidfd);
	if (pid == 0)
		_exit((is_open(ours) ? 1 : 0) | (is_open(kept) ? 0 : 2) | (is_open(given) ? 0 : 4) |
			(is_open(STDERR_FILENO) ? 0 : 8) | (getpgrp() == getpid() ? 0 : 16));
	CHECK_INT(waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED), 0);
	CHECK_INT(info.si_pid, pid);
	CHECK_INT(info.si_status, 0);
	close(ours);
	close(kept);
	close(given);
	close(pidfd);
}

/* A program started by a forked child ends with the child, not only with the parent. */
static void
forked_starts(void)
{
	int kept = open("/dev/null", O_RDONLY | O_CLOEXEC), out[2], pidfd;
	char name[] = "sleep", seconds[] = "900", *const argv[] = {name, seconds, NULL};
	char byte;
	CHECK_INT(pipe(out), 0);
	pid_t pid = proc_fork(kept, &pidfd);
	if (pid == 0) {
		const struct proc_command command = {
			.path = "/bin/sleep", .argv = argv, .in = kept, .out = out[1]};
		int of_sleep;
		_exit(proc_spawn(&command, &of_sleep) > 0 ? 0 : 1);
	}
	siginfo_t info = {0};
	CHECK_INT(waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED), 0);
	CHECK_INT(info.si_status, 0);
	/* Both had the writing end, and no process has it any more. */
	close(out[1]);
	CHECK_INT(read(out[0], &byte, 1), 0);
	close(out[0]);
	close(kept);
	close(pidfd);
}

static const struct check_test tests[] = {
	{"a started program reads its stdin, writes its stdout and ends with its code", pipes},
	{"a started program has descriptors 0 to 2, one that makes it end with its parent, and no "
	 "others",
		only_three_descriptors},
	{"the caller's own 0 and 1 may be passed on, even crossed", standard_descriptors},
	{"a started program may have its own stderr", own_stderr},
	{"a started program without its own stderr shares the caller's", shared_stderr},
	{"both outputs may be the same", one_descriptor_for_both},
	{"the caller's own 0 to 2 may be passed on, even rotated", rotated_descriptors},
	{"a started program has its process group at once", group_at_once},
	{"a started program starts with unblocked signals and SIGPIPE, in its own group",
		fresh_start},
	{"a started program dies with its parent", dies_with_parent},
	{"a forked child keeps the given descriptor and those from the start, and no others",
		forked},
	{"a program started by a forked child ends with the child", forked_starts},
	{"a missing program ends with 127, one that cannot run with 126", cannot_exec},
	{"the pidfd reports the end and is not inherited", pidfd},
	{"an end is described by its code or its signal", descriptions},
	{"real ends are described correctly", described_for_real},
	{"exactly the exits that a restart cannot fix are permanent, and no signal is", permanence},
};
CHECK_MAIN(tests)
