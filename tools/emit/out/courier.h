/* courier - who takes requests to a server by a library that waits for it: a thread of its own, and
 * what came of the request. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_COURIER_H
#define EMIT_COURIER_H

#include "verdict.h"

#include <pthread.h>
#include <stdbool.h>

struct worker;

struct courier {
	struct worker *worker;
	pthread_mutex_t lock; /* of the rest: libraries have threads of their own */
	enum verdict verdict;
	char reason[VERDICT_REASON_SIZE];
};

/* 0, or -1 when memory ran out. */
int courier_init(struct courier *courier);

/* Begins a request: `run` makes it, and tells by courier_note() what went wrong. The one before it
 * must have ended. */
void courier_begin(struct courier *courier, void (*run)(void *context), void *context);

/* From any thread: `what` went wrong, and in the server's own words why, "" or NULL: it has none.
 * The first that is told holds, unless something will never do. */
void courier_note(
	struct courier *courier, enum verdict verdict, const char *what, const char *detail);

/* From the thread that makes the request: whether anything went wrong. */
bool courier_failed(struct courier *courier);

bool courier_is_busy(const struct courier *courier);

/* Becomes readable when a request ends that courier_is_busy() has been asked about. */
int courier_fd(const struct courier *courier);

/* What has come of the request that has ended; `reason` is filled unless it is ACCEPTED. */
enum verdict courier_eval(const struct courier *courier, char reason[VERDICT_REASON_SIZE]);

/* Not while it is busy. */
void courier_fini(struct courier *courier);

#endif
