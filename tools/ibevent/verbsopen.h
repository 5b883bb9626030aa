/* verbsopen - opens and closes contexts of libibverbs in threads of their own: a device whose
 * firmware hangs keeps nobody else waiting. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_VERBSOPEN_H
#define IBEVENT_VERBSOPEN_H

#include <infiniband/verbs.h>
#include <stdbool.h>

/* A context that is being opened. */
struct verbsopen;

/* Begins to open the device whose node has this name, such as uverbs0. `wake_fd`, an eventfd, is
 * written to at the end. NULL with errno. */
struct verbsopen *verbsopen_start(const char *node, int wake_fd);

/* False while it goes on. Otherwise it is freed, and `*context` is the caller's, or NULL with
 * `*error`. */
bool verbsopen_collect(struct verbsopen *opening, struct ibv_context **context, int *error);

/* Nobody waits for it any more: it is freed, and what it opens is closed, at its end. */
void verbsopen_abandon(struct verbsopen *opening);

/* Closes a context, at once if there can be no thread. */
void verbsopen_close(struct ibv_context *context);

#endif
