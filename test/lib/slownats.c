/* slownats - preloaded library: if the file $NHM_SLOW exists when a message comes from a server,
 * libnats removes it and waits for a second, after it has found the message's subscription and
 * before it locks that. Link with --no-as-needed -lnats. MALLOC_PERTURB_ then shows a subscription
 * that was freed meanwhile. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static __thread bool waits;

int
natsConn_processMsg(void *connection, char *bytes, int length)
{
	static __typeof__(&natsConn_processMsg) next;
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "natsConn_processMsg");
	waits = unlink(getenv("NHM_SLOW")) == 0;
	return next(connection, bytes, length);
}

void
natsMutex_Unlock(void *mutex)
{
	static __typeof__(&natsMutex_Unlock) next;
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "natsMutex_Unlock");
	next(mutex);
	if (waits)
		sleep(1);
	waits = false;
}
