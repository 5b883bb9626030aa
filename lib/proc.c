/* proc - starts child processes and describes their exits. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "proc.h"

#include "diag.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first descriptor after stderr. */
#define FIRST_MORE (STDERR_FILENO + 1)

/* Path that reopens one of our pipes; the number is the descriptor. */
#define OWN_FD_PATH "/proc/self/fd/%d"

/* A pipe to which nothing is ever written. Only this process has its write end, which closes when
 * it exits. -1: not created yet. */
static int lifeline[2] = {-1, -1};

/* Reopen the read end, so that the caller has an open file description of its own. Return it, or -1
 * with errno. */
static int
open_lifeline(void)
{
	char path[sizeof OWN_FD_PATH + 10];
	snprintf(path, sizeof path, OWN_FD_PATH, lifeline[0]);
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Make the kernel kill this process when the last write end is closed: the kernel then sends SIGIO,
 * or the signal set by F_SETSIG. This survives exec, and the program need not cooperate. Return 0,
 * or -1 with errno. */
static int
die_with_lifeline(int fd)
{
	if (fcntl(fd, F_SETOWN, getpid()) < 0 || fcntl(fd, F_SETSIG, SIGKILL) < 0)
		return -1;
	return fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC);
}

/* The child's half of proc_spawn(). Make only calls that are safe between fork() and exec(). */
static _Noreturn void
become(const struct proc_command *command, pid_t parent)
{
	setpgid(0, 0);
	/* Die with the parent, which may have died before this line. If exec gives the program more
	 * rights (file capabilities, set-uid), the kernel clears this signal: hence the
	 * lifeline. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_OS);

	if (!command->keeps_capabilities)
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);

	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Ignored signals are inherited: the program must notice SIGTERM, and SIGPIPE when its
	 * reader has gone. */
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);

	/* dup2() of a descriptor onto itself would keep O_CLOEXEC. Move all of them above the
	 * target numbers first. */
	int given[FIRST_MORE + PROC_MORE_MAX + 1] = {
		command->in, command->out, command->err > 0 ? command->err : STDERR_FILENO};
	int count = FIRST_MORE;
	for (size_t i = 0; i < command->more_count; i++)
		given[count++] = command->more[i];
	/* The lifeline comes after all descriptors that the program uses. */
	given[count++] = open_lifeline();
	for (int i = 0; i < count; i++) {
		given[i] = fcntl(given[i], F_DUPFD_CLOEXEC, FIRST_MORE + PROC_MORE_MAX + 1);
		if (given[i] < 0)
			_exit(EXIT_OS);
	}
	for (int i = 0; i < count; i++) {
		if (dup2(given[i], i) < 0)
			_exit(EXIT_OS);
	}
	/* Until exec, this process has the write end too. If the parent has died by now, exec
	 * closes the last one, and the kernel kills this process. */
	if (die_with_lifeline(count - 1) < 0)
		_exit(EXIT_OS);
	/* Our own descriptors are O_CLOEXEC, but inherited ones may not be. Before Linux 5.11 those
	 * stay open. */
	close_range((unsigned)count, ~0U, CLOSE_RANGE_CLOEXEC);

	execve(command->path, command->argv,
		command->environment != NULL ? command->environment : environ);
	diag_error("%s: %s", command->path, strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Set up a new child in the parent: its process group, and a descriptor in `*pidfd`. Return the
 * pid, or -1 with errno. */
static pid_t
adopt(pid_t pid, int *pidfd)
{
	if (pid < 0)
		return -1;
	/* The child calls this too: the first call creates the group before the caller needs it. */
	setpgid(pid, pid);

	/* The child has not been waited for, so that its pid cannot have been reused. */
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (*pidfd < 0) {
		int saved_errno = errno;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		errno = saved_errno;
		return -1;
	}
	return pid;
}

pid_t
proc_spawn(const struct proc_command *command, int *pidfd)
{
	pid_t parent = getpid();
	if (lifeline[0] < 0 && pipe2(lifeline, O_CLOEXEC) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0)
		become(command, parent);
	return adopt(pid, pidfd);
}

/* Close the descriptors that this program opened itself (O_CLOEXEC), except `kept`: a pipe or
 * connection that stays open here would keep its other side waiting. Return 0, or -1 with errno. */
static int
close_own(int kept)
{
	DIR *directory = opendir("/proc/self/fd");
	const struct dirent *entry;
	if (directory == NULL)
		return -1;
	while ((entry = readdir(directory)) != NULL) {
		int fd = atoi(entry->d_name);
		if (fd <= STDERR_FILENO || fd == kept || fd == dirfd(directory))
			continue;
		if ((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0)
			close(fd);
	}
	closedir(directory);
	return 0;
}

/* The child's half of proc_fork(). */
static void
leave(pid_t parent, int kept)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || close_own(kept) < 0)
		_exit(EXIT_OS);
	/* Children of this process depend on this process, not on its parent. */
	lifeline[0] = lifeline[1] = -1;
	diag_begin_child();
}

pid_t
proc_fork(int kept, int *pidfd)
{
	pid_t parent = getpid();
	*pidfd = -1;
	pid_t pid = fork();
	if (pid == 0) {
		leave(parent, kept);
		return 0;
	}
	return adopt(pid, pidfd);
}

const char *
proc_describe_end(const siginfo_t *info, char *text, size_t size)
{
	if (info->si_code == CLD_EXITED) {
		snprintf(text, size, "exited with %d", info->si_status);
	} else {
		const char *name = sigabbrev_np(info->si_status);
		snprintf(text, size, "killed by SIG%s", name != NULL ? name : "?");
	}
	return text;
}

bool
proc_end_is_permanent(const siginfo_t *info)
{
	if (info->si_code != CLD_EXITED)
		return false;
	switch (info->si_status) {
	case EXIT_USAGE:
	case EXIT_DATA:
	case EXIT_NO_INPUT:
	case EXIT_NO_PERMISSION:
	case EXIT_CONFIG:
	case 126:
	case 127:
		return true;
	default:
		return false;
	}
}
