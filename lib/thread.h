/* thread - starts threads that leave signals to the main thread. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_THREAD_H
#define NHM_THREAD_H

#include <pthread.h>

/* pthread_create(3), with all signals blocked except `own` (0: none) and SIGSYS (callfilter.h), so
 * that those that stop the program reach the main thread. `attributes` is nullable. Return 0, or an
 * errno value. */
int thread_start(pthread_t *thread, const pthread_attr_t *attributes, int own, void *(*run)(void *),
	void *argument);

/* Initialise a condition whose timeouts use CLOCK_MONOTONIC. */
void thread_cond_init(pthread_cond_t *condition);

#endif
