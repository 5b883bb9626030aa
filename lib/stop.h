/* stop - catches SIGTERM and SIGINT without losing a request to stop. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_STOP_H
#define NHM_STOP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most descriptors for stop_poll(). */
#define STOP_POLL_MAX 63

/* From now on, let the first SIGTERM or SIGINT only set a flag and wake stop_poll(); the second has
 * its default effect. Call before starting threads. Return 0, or -1 with errno. */
int stop_catch(void);

/* From now on, let stop_poll() take it for a request to stop, too, when the pipe of the writing end
 * `fd` has lost its last reader. `fd` must stay open. */
void stop_without_reader(int fd);

/* Return whether a stop has been requested. */
bool stop_requested(void);

/* poll(2) that also returns on a request to stop (-1, EINTR), even an earlier one; each request
 * interrupts one wait. `timeout_ns` in nanoseconds; UINT64_MAX: no timeout. With `count` 0 it only
 * sleeps. */
int stop_poll(struct pollfd *fds, size_t count, uint64_t timeout_ns);

#endif
