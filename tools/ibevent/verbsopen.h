/* verbsopen - opens and closes libibverbs contexts in threads of their own: a device whose firmware
 * hangs blocks nothing else. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_VERBSOPEN_H
#define IBEVENT_VERBSOPEN_H

#include <infiniband/verbs.h>
#include <stdbool.h>

/* A context that is being opened. */
struct verbsopen;

/* Start to open the device of a node, such as uverbs0. The thread writes to the eventfd `wake_fd`
 * at the end. Return NULL with errno on error. */
struct verbsopen *verbsopen_start(const char *node, int wake_fd);

/* Return false while the device is being opened. Otherwise free `opening` and set `*context`, which
 * the caller then owns, or set it to NULL and `*error` to an errno. */
bool verbsopen_collect(struct verbsopen *opening, struct ibv_context **context, int *error);

/* Abandon it: at the end of opening, the thread closes the context and frees `opening`. */
void verbsopen_abandon(struct verbsopen *opening);

/* Close a context in a thread, or directly if no thread can be started. */
void verbsopen_close(struct ibv_context *context);

#endif
