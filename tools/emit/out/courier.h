/* courier - runs requests through a blocking client library in a thread of its own, and keeps their
 * results. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_COURIER_H
#define EMIT_COURIER_H

#include "verdict.h"

#include <pthread.h>
#include <stdbool.h>

struct worker;

struct courier {
	struct worker *worker;
	pthread_mutex_t lock; /* protects the members below: libraries have threads, too */
	enum verdict verdict;
	char reason[VERDICT_REASON_SIZE];
};

/* Return 0, or -1 if memory runs out. */
int courier_init(struct courier *courier);

/* Start a request: the thread calls `run`, which reports failures by courier_note(). The previous
 * request must have ended. */
void courier_begin(struct courier *courier, void (*run)(void *context), void *context);

/* Report a failure, from any thread: `what` failed, and the server's own text, "" or NULL if none.
 * The first report is kept, unless a later one is VERDICT_REFUSED and it was VERDICT_RETRY. */
void courier_note(
	struct courier *courier, enum verdict verdict, const char *what, const char *detail);

/* Return true if a failure was reported. For the thread that runs the request. */
bool courier_failed(struct courier *courier);

bool courier_is_busy(const struct courier *courier);

/* Return a descriptor that is readable when a request has ended for which courier_is_busy()
 * returned true. */
int courier_fd(const struct courier *courier);

/* Return the result of the request, which has ended. Fill `reason` unless it is ACCEPTED. */
enum verdict courier_eval(const struct courier *courier, char reason[VERDICT_REASON_SIZE]);

/* Free it. The courier must not be busy. */
void courier_fini(struct courier *courier);

#endif
