/* thread - starts threads that leave signals to the main thread. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "thread.h"

#include <signal.h>
#include <time.h>

int
thread_start(pthread_t *thread, const pthread_attr_t *attributes, int own, void *(*run)(void *),
	void *argument)
{
	sigset_t all, before;

	sigfillset(&all);
	/* callfilter.h handles SIGSYS to report a forbidden system call before the process ends. */
	sigdelset(&all, SIGSYS);
	if (own != 0)
		sigdelset(&all, own);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(thread, attributes, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

void
thread_cond_init(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}
