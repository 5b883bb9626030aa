/* stop - being asked to stop, by SIGTERM or SIGINT, without missing it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_STOP_H
#define NHM_STOP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most descriptors that stop_poll() takes. */
#define STOP_POLL_MAX 63

/* From now on the first SIGTERM or SIGINT only sets a flag, and wakes stop_poll(); the second ends
 * the process as it always would. Call it before starting threads. 0, or -1 with errno. */
int stop_catch(void);

/* True once SIGTERM or SIGINT has come. */
bool stop_requested(void);

/* poll(2) that a request to stop ends (-1, EINTR), also one that came before; one request ends one
 * wait. `timeout_ns` in nanoseconds, UINT64_MAX for ever. With `count` 0 it just sleeps. */
int stop_poll(struct pollfd *fds, size_t count, uint64_t timeout_ns);

#endif
