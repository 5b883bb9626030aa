/* proc - other processes: starting them, and what their end means. */
#include "proc.h"

#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The number of the first descriptor behind stderr. */
#define FIRST_MORE (STDERR_FILENO + 1)

/* The child's half of proc_spawn(): only calls that are safe between fork and exec. */
static _Noreturn void
become(const struct proc_command *command, pid_t parent)
{
	setpgid(0, 0);
	/* The supervisor dying takes its stages with it; it may have died before this line. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_OS);

	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Ignored is inherited, too: it is to hear what it is asked, and that nobody reads it any more. */
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);

	/* dup2() onto itself would keep O_CLOEXEC, hence the detour over numbers that none of them is to get. */
	int given[FIRST_MORE + PROC_MORE_MAX] = {
		command->in, command->out, command->err > 0 ? command->err : STDERR_FILENO};
	int count = FIRST_MORE;
	for (size_t i = 0; i < command->more_count; i++)
		given[count++] = command->more[i];
	for (int i = 0; i < count; i++) {
		given[i] = fcntl(given[i], F_DUPFD_CLOEXEC, FIRST_MORE + PROC_MORE_MAX);
		if (given[i] < 0)
			_exit(EXIT_OS);
	}
	for (int i = 0; i < count; i++) {
		if (dup2(given[i], i) < 0)
			_exit(EXIT_OS);
	}
	/* Our own are O_CLOEXEC, but not what we may have been started with. Before Linux 5.11 that stays. */
	close_range((unsigned)count, ~0U, CLOSE_RANGE_CLOEXEC);

	execv(command->path, command->argv);
	diag_error("%s: %s", command->path, strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

pid_t
proc_spawn(const struct proc_command *command, int *pidfd)
{
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0)
		become(command, parent);
	/* The child does so, too: whoever is first, the group is there when the caller may want to signal it. */
	setpgid(pid, pid);

	/* The child is ours and not yet waited for, so its pid cannot have been given away. */
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
