/* thread - threads beside the main one, to which the signals belong. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_THREAD_H
#define NHM_THREAD_H

#include <pthread.h>

/* As pthread_create(3), but only `own` (0: none) of the signals that can be blocked comes to the
 * thread: those that ask the program to stop are the main thread's. `attributes` is nullable. */
int thread_start(pthread_t *thread, const pthread_attr_t *attributes, int own, void *(*run)(void *),
	void *argument);

/* A condition whose waits end by CLOCK_MONOTONIC. */
void thread_cond_init(pthread_cond_t *condition);

#endif
