/* courier - runs requests through a blocking client library in a thread. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "courier.h"

#include "../store/worker.h"

#include <string.h>

int
courier_init(struct courier *courier)
{
	*courier = (struct courier){.worker = worker_new()};
	if (courier->worker == NULL)
		return -1;
	pthread_mutex_init(&courier->lock, NULL);
	return 0;
}

void
courier_begin(struct courier *courier, void (*run)(void *context), void *context)
{
	courier->verdict = VERDICT_ACCEPTED;
	*courier->reason = '\0';
	worker_begin(courier->worker, run, context);
}

void
courier_note(struct courier *courier, enum verdict verdict, const char *what, const char *detail)
{
	pthread_mutex_lock(&courier->lock);
	if (courier->verdict == VERDICT_ACCEPTED ||
		(courier->verdict == VERDICT_RETRY && verdict == VERDICT_REFUSED)) {
		courier->verdict = verdict;
		verdict_explain(courier->reason, what, detail, detail != NULL ? strlen(detail) : 0);
	}
	pthread_mutex_unlock(&courier->lock);
}

bool
courier_failed(struct courier *courier)
{
	pthread_mutex_lock(&courier->lock);
	bool failed = courier->verdict != VERDICT_ACCEPTED;
	pthread_mutex_unlock(&courier->lock);
	return failed;
}

bool
courier_is_busy(const struct courier *courier)
{
	return !worker_wait(courier->worker, 0);
}

int
courier_fd(const struct courier *courier)
{
	return worker_fd(courier->worker);
}

enum verdict
courier_eval(const struct courier *courier, char reason[VERDICT_REASON_SIZE])
{
	strcpy(reason, courier->reason);
	return courier->verdict;
}

void
courier_fini(struct courier *courier)
{
	worker_free(courier->worker);
	pthread_mutex_destroy(&courier->lock);
}
