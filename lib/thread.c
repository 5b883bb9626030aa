/* thread - threads beside the main one, to which the signals belong. */
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
	/* A call that is refused is said (callfilter.h) before it ends the process. */
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
