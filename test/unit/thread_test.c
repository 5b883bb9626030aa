/* Unit tests of thread: the signals of a thread, and the clock of a condition. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "thread.h"

#include "check.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

static void *
see_mask(void *argument)
{
	pthread_sigmask(SIG_SETMASK, NULL, argument);
	return NULL;
}

static void
signals(void)
{
	static const int own[] = {0, SIGUSR1, SIGBUS};
	for (size_t i = 0; i < CHECK_COUNT(own); i++) {
		sigset_t before, mask, after;
		pthread_t thread;
		check_row("own %d", own[i]);
		pthread_sigmask(SIG_SETMASK, NULL, &before);
		CHECK_INT(thread_start(&thread, NULL, own[i], see_mask, &mask), 0);
		CHECK_INT(pthread_join(thread, NULL), 0);
		pthread_sigmask(SIG_SETMASK, NULL, &after);
		CHECK(sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGINT) == 1);
		CHECK(sigismember(&mask, SIGSYS) == 0);
		CHECK_INT(sigismember(&mask, SIGUSR1), own[i] != SIGUSR1);
		CHECK_INT(sigismember(&mask, SIGBUS), own[i] != SIGBUS);
		CHECK_INT(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
		CHECK_INT(sigismember(&after, SIGUSR1), sigismember(&before, SIGUSR1));
	}
}

/* By the wall clock the time is long past, and the wait would end at once. */
static void
monotonic(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition;
	struct timespec until, now;

	thread_cond_init(&condition);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += 20L * 1000 * 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&lock);
	int status = 0;
	while (status == 0)
		status = pthread_cond_timedwait(&condition, &lock, &until);
	pthread_mutex_unlock(&lock);
	CHECK_INT(status, ETIMEDOUT);
	clock_gettime(CLOCK_MONOTONIC, &now);
	CHECK(now.tv_sec > until.tv_sec ||
		(now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
	pthread_cond_destroy(&condition);
}

static const struct check_test tests[] = {
	{"a thread blocks all signals but its own and those of refused system calls", signals},
	{"a condition waits by the monotonic clock", monotonic},
};
CHECK_MAIN(tests)
