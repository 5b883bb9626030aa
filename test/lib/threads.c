/* threads - preloaded library: no further thread can be started after NHM_THREADS, as at the user's
 * RLIMIT_NPROC, which counts threads, too, but independent of the user's other processes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int
pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	static atomic_int started;
	static __typeof__(&pthread_create) next;
	const char *limit = getenv("NHM_THREADS");
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
	if (limit != NULL && atomic_fetch_add(&started, 1) >= atoi(limit))
		return EAGAIN;
	return next(thread, attributes, start, argument);
}
