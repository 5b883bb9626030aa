/* worker - a thread for jobs that may block for ever, one at a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "num.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

/* Far more than SQLite and jansson need, and far less than the default, which matters where memory
 * is limited. */
#define STACK_BYTES ((size_t)1 << 20)

/* A thread that used at least this part of a time as processor time made progress. */
#define MOVING_PART 100

struct worker {
	pthread_t thread;
	bool has_thread;
	int fd;
	pthread_mutex_t lock;       /* protects the members below */
	pthread_cond_t has_begun;   /* signals the thread */
	pthread_cond_t has_ended;   /* signals the caller */
	void (*job)(void *context); /* NULL: none is running */
	void *context;
	uint64_t began_ns;
	bool is_late; /* worker_wait() returned false; `fd` signals the end */
	bool is_over; /* no more jobs: the thread ends */
};

/* Workers that have not been freed. */
static atomic_size_t left;

static void *
work(void *argument)
{
	struct worker *worker = argument;
	pthread_mutex_lock(&worker->lock);
	for (;;) {
		while (worker->job == NULL && !worker->is_over)
			pthread_cond_wait(&worker->has_begun, &worker->lock);
		if (worker->job == NULL)
			break;
		pthread_mutex_unlock(&worker->lock);
		worker->job(worker->context);
		pthread_mutex_lock(&worker->lock);
		worker->job = NULL;
		if (worker->is_late)
			eventfd_write(worker->fd, 1);
		pthread_cond_signal(&worker->has_ended);
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

/* Leave SIGBUS unblocked: access to a truncated mapped file raises it in this thread (guard.h). */
static int
start(struct worker *worker)
{
	pthread_attr_t attributes;
	int status = pthread_attr_init(&attributes);
	if (status != 0)
		return status;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	status = thread_start(&worker->thread, &attributes, SIGBUS, work, worker);
	pthread_attr_destroy(&attributes);
	return status;
}

struct worker *
worker_new(void)
{
	struct worker *worker = calloc(1, sizeof *worker);
	if (worker == NULL)
		return NULL;
	left++;
	pthread_mutex_init(&worker->lock, NULL);
	thread_cond_init(&worker->has_begun);
	thread_cond_init(&worker->has_ended);
	worker->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int status = worker->fd >= 0 ? start(worker) : errno;
	worker->has_thread = status == 0;
	if (status != 0)
		diag_warn("cannot start a thread: %s: a hanging disk will block everything",
			strerror(status));
	return worker;
}

void
worker_begin(struct worker *worker, void (*job)(void *context), void *context)
{
	if (!worker->has_thread) {
		job(context);
		return;
	}
	pthread_mutex_lock(&worker->lock);
	worker->job = job;
	worker->context = context;
	worker->began_ns = clock_monotonic_ns();
	pthread_cond_signal(&worker->has_begun);
	pthread_mutex_unlock(&worker->lock);
}

/* Reset `is_late` and `fd`. Call it with the lock held when the job has ended. */
static void
note_end(struct worker *worker)
{
	eventfd_t ignored;
	if (worker->is_late)
		eventfd_read(worker->fd, &ignored);
	worker->is_late = false;
}

bool
worker_wait(struct worker *worker, uint64_t for_ns)
{
	uint64_t until_ns = clock_monotonic_ns() + for_ns;
	const struct timespec until = {.tv_sec = (time_t)(until_ns / NUM_NS_PER_S),
		.tv_nsec = (long)(until_ns % NUM_NS_PER_S)};
	int status = 0;
	pthread_mutex_lock(&worker->lock);
	while (worker->job != NULL && for_ns > 0 && status != ETIMEDOUT)
		status = pthread_cond_timedwait(&worker->has_ended, &worker->lock, &until);
	bool has_ended = worker->job == NULL;
	if (has_ended)
		note_end(worker);
	else
		worker->is_late = true;
	pthread_mutex_unlock(&worker->lock);
	return has_ended;
}

/* Return the processor time that the thread has used. */
static uint64_t
used_ns(struct worker *worker)
{
	clockid_t clock;
	return pthread_getcpuclockid(worker->thread, &clock) == 0 ? clock_used_ns(clock) : 0;
}

bool
worker_wait_while_moving(struct worker *worker, uint64_t still_ns)
{
	uint64_t used = 0, before;
	if (!worker->has_thread)
		return true;
	do {
		before = used;
		if (worker_wait(worker, still_ns))
			return true;
		used = used_ns(worker);
	} while (used - before >= still_ns / MOVING_PART);
	return false;
}

uint64_t
worker_late_since_ns(const struct worker *worker)
{
	return worker->is_late ? worker->began_ns : 0;
}

int
worker_fd(const struct worker *worker)
{
	return worker->fd;
}

void
worker_free(struct worker *worker)
{
	if (worker->has_thread) {
		pthread_mutex_lock(&worker->lock);
		worker->is_over = true;
		pthread_cond_signal(&worker->has_begun);
		pthread_mutex_unlock(&worker->lock);
		pthread_join(worker->thread, NULL);
	}
	fd_close(worker->fd);
	pthread_cond_destroy(&worker->has_begun);
	pthread_cond_destroy(&worker->has_ended);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
	left--;
}

bool
worker_any_left(void)
{
	return left > 0;
}
