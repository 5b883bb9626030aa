/* worker - a thread for jobs that may take for ever, such as a write to a disk that hangs, one at a
 * time, so that a loop need not wait for them.
 *
 * What a job uses is the job's alone until it has ended. A thread that hangs in the kernel cannot
 * be ended: it is left to itself, and with it what its job uses. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_WORKER_H
#define EMIT_WORKER_H

#include <stdbool.h>
#include <stdint.h>

struct worker;

/* NULL with errno when memory ran out. Where no thread can be started, which is said, jobs are done
 * by the caller, who waits for them. */
struct worker *worker_new(void);

/* Begins a job. The one before it must have ended: worker_wait() has said so. */
void worker_begin(struct worker *worker, void (*job)(void *context), void *context);

/* Waits for the end of the job, but no longer than this: true when there is none under way. */
bool worker_wait(struct worker *worker, uint64_t for_ns);

/* The same, for what may take its time as long as it gets on: until it has ended, or the thread has
 * used next to no processor time for `still_ns`. */
bool worker_wait_while_moving(struct worker *worker, uint64_t still_ns);

/* When the job under way was begun, of CLOCK_MONOTONIC; 0 when worker_wait() has not been waited
 * for in vain since. */
uint64_t worker_late_since_ns(const struct worker *worker);

/* Becomes readable when a job ends that worker_wait() has waited for in vain, until worker_wait()
 * is called; -1: never. */
int worker_fd(const struct worker *worker);

/* Ends the thread. Its job must have ended: worker_wait() has said so. */
void worker_free(struct worker *worker);

/* Whether any worker of this process has not been freed. */
bool worker_any_left(void);

#endif
