/* Unit tests of the supervisor's stages: reaping zombies that nobody waits for. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/stages.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct stages no_stages = {
	.items = {{.pidfd = -1}, {.pidfd = -1}, {.pidfd = -1}, {.pidfd = -1}, {.pidfd = -1}}};

/* Fork a child that has exited and is not reaped. */
static pid_t
new_zombie(void)
{
	siginfo_t info;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	CHECK(pid > 0);
	CHECK_INT(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	return pid;
}

static bool
is_there(pid_t pid)
{
	siginfo_t info = {0};
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void
strangers_go(void)
{
	for (int i = 0; i < 40; i++)
		new_zombie();
	stages_reap(&no_stages, 0);
	errno = 0;
	CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
	CHECK_INT(errno, ECHILD);
	/* Without children nothing happens. */
	stages_reap(&no_stages, 0);
}

static void
others_stay(void)
{
	struct stages stages = no_stages;
	pid_t kept = new_zombie();
	stages_reap(&stages, kept);
	CHECK(is_there(kept));
	stages.items[STAGE_EMIT] = (struct stage){.pidfd = 0, .pid = kept};
	stages_reap(&stages, 0);
	CHECK(is_there(kept));
	/* The stage no longer counts as running. */
	stages.items[STAGE_EMIT].pidfd = -1;
	stages_reap(&stages, 0);
	CHECK(!is_there(kept));
}

static void
those_that_run_stay(void)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	stages_reap(&no_stages, 0);
	CHECK_INT(kill(pid, SIGKILL), 0);
	CHECK_INT(waitpid(pid, NULL, 0), pid);
}

static const struct check_test tests[] = {
	{"all processes that nobody waits for are reaped", strangers_go},
	{"a running stage and a configuration check are left for their own waits", others_stay},
	{"a running process is left alone", those_that_run_stay},
};
CHECK_MAIN(tests)
