/* worker - a thread for jobs that may block for ever, such as a write to a disk that hangs; one at
 * a time. The caller need not wait for them.
 *
 * A job owns its data until it has ended. A thread that hangs in the kernel cannot be stopped: it
 * is abandoned together with that data. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_WORKER_H
#define EMIT_WORKER_H

#include <stdbool.h>
#include <stdint.h>

struct worker;

/* Return NULL with errno if memory runs out. If no thread can be started, warn; the caller then
 * runs the jobs itself and waits for them. */
struct worker *worker_new(void);

/* Start a job. The previous one must have ended: worker_wait() returned true. */
void worker_begin(struct worker *worker, void (*job)(void *context), void *context);

/* Wait at most `for_ns` for the end of the job. Return true if none is running. */
bool worker_wait(struct worker *worker, uint64_t for_ns);

/* Wait until the job has ended, or until the thread has used almost no processor time for
 * `still_ns`: for a job that may take long while it makes progress. */
bool worker_wait_while_moving(struct worker *worker, uint64_t still_ns);

/* Return when the running job was started, CLOCK_MONOTONIC, if worker_wait() has returned false for
 * it; else 0. */
uint64_t worker_late_since_ns(const struct worker *worker);

/* Return a descriptor that is readable when a job has ended for which worker_wait() returned false,
 * until worker_wait() is called again; -1: none. */
int worker_fd(const struct worker *worker);

/* Stop the thread and free the worker. The job must have ended: worker_wait() returned true. */
void worker_free(struct worker *worker);

/* Return true if any worker of this process has not been freed. */
bool worker_any_left(void);

#endif
