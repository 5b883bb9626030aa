/* Unit tests of the supervisor's stages: processes that nobody waits for do not stay as zombies. */
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

/* A child that has ended, and that nobody has waited for. */
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
	/* With no child at all there is nothing to do. */
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
	/* It was left behind. */
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
	{"a process that nobody waits for goes, and so do forty", strangers_go},
	{"a stage and a check of the configuration stay for those who wait for them", others_stay},
	{"a process that runs is left alone", those_that_run_stay},
};
CHECK_MAIN(tests)
