/* readers - a small pool of threads that read devices, so that one that hangs delays nobody
 * else. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "readers.h"

#include "diag.h"
#include "num.h"
#include "sysfs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Threads that may be working at a time, those that hang not counted. Firmware answers one question
 * after the other, so more would gain little on one card, and a node has few cards. */
#define WORKING_MAX 4

/* A reading that takes longer than this is counted as hanging: its thread is replaced for the time
 * being. */
#define HANGING_NS (10 * NUM_NS_PER_MS)

/* How long the scan's side sleeps at most, to notice when this process did not run. */
#define LOOK_NS (100 * NUM_NS_PER_MS)

/* How long a scan waits for suspects once the others have answered. */
#define GRACE_NS (10 * NUM_NS_PER_MS)

/* How long the end of the program waits for readers that were interrupted. */
#define FAREWELL_NS (200 * NUM_NS_PER_MS)

/* Interrupts a thread that waits in the kernel; its handler has nothing to do. */
#define INTERRUPT SIGUSR1

struct readers {
	struct reading reading;
	pthread_mutex_t lock;
	pthread_cond_t work;         /* something was queued, or the pool ends */
	pthread_cond_t progress;     /* a reading ended */
	struct device *first, *last; /* the queue */
	unsigned threads, idle;
	unsigned waiting_trusted, waiting_suspect; /* asked and not answered yet */
	uint64_t patience_ns; /* a reading that takes no longer is a timely one */
	uint64_t lost_ns;     /* in which this process was not let run, as far as is known */
	int lacking;          /* errno of the last attempt to start a thread; 0: it went well */
	bool ending;
};

static void
on_interrupt(int signal_number)
{
	(void)signal_number;
}

struct readers *
readers_new(int root, const struct scan_config *config, uint64_t patience_ns)
{
	struct readers *readers = calloc(1, sizeof *readers);
	if (readers == NULL)
		return NULL;
	pthread_mutex_init(&readers->lock, NULL);
	pthread_cond_init(&readers->work, NULL);
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&readers->progress, &attributes);
	pthread_condattr_destroy(&attributes);
	readers->patience_ns = patience_ns;
	readers->reading = (struct reading){.root = root, .config = config, .lock = &readers->lock};

	/* No SA_RESTART: the call that waits shall fail with EINTR. */
	struct sigaction action = {.sa_handler = on_interrupt};
	sigemptyset(&action.sa_mask);
	sigaction(INTERRUPT, &action, NULL);
	return readers;
}

pthread_mutex_t *
readers_lock(struct readers *readers)
{
	return &readers->lock;
}

/* --- the threads' side --- */

static struct device *
pop_next(struct readers *readers)
{
	struct device *device = readers->first;
	readers->first = device->next_queued;
	if (readers->first == NULL)
		readers->last = NULL;
	device->next_queued = NULL;
	device->phase = DEVICE_BUSY;
	device->reader = pthread_self();
	device->started_ns = clock_monotonic_ns();
	return device;
}

/* Files the result. Returns true when this thread hung and its place has been taken. */
static bool
finish(struct readers *readers, struct device *device)
{
	uint64_t took_ns = clock_monotonic_ns() - device->started_ns;

	device->phase = DEVICE_IDLE;
	device->fresh = !atomic_load(&device->cancelled);
	if (device->fresh)
		device->unanswered = false;
	if (device->suspect)
		readers->waiting_suspect--;
	else
		readers->waiting_trusted--;
	/* Slow is not hung: whoever answers within the patience of a scan is waited for again. */
	if (device->fresh && took_ns < readers->patience_ns)
		device->suspect = false;
	pthread_cond_signal(&readers->progress);
	return took_ns >= HANGING_NS && readers->threads > WORKING_MAX;
}

static void *
run(void *argument)
{
	struct readers *readers = argument;

	pthread_mutex_lock(&readers->lock);
	for (bool done = false; !done && !readers->ending;) {
		if (readers->first == NULL) {
			readers->idle++;
			pthread_cond_wait(&readers->work, &readers->lock);
			readers->idle--;
			continue;
		}
		struct device *device = pop_next(readers);
		pthread_mutex_unlock(&readers->lock);
		device_read(device, &readers->reading);
		pthread_mutex_lock(&readers->lock);
		done = finish(readers, device);
	}
	readers->threads--;
	pthread_cond_signal(&readers->progress);
	pthread_mutex_unlock(&readers->lock);
	return NULL;
}

/* --- the scan's side --- */

/* As long as there are others they go on, and devices that they do not come to have not failed to
 * answer. */
static void
note_start(struct readers *readers, int error)
{
	if (error != 0 && readers->lacking == 0 && readers->threads > 0)
		diag_warn("cannot start a thread: %s: reading with the %u that there are",
			strerror(error), readers->threads);
	readers->lacking = error;
}

/* Starts one thread, with the signals that ask the program to stop left to the main thread. False,
 * with `lacking` set, when there is none to be had. */
static bool
start_thread(struct readers *readers)
{
	sigset_t all, before;
	pthread_t thread;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	/* A call that is refused is said (callfilter.h) before it ends the process. */
	sigdelset(&all, SIGSYS);
	sigdelset(&all, INTERRUPT);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, &attributes, run, readers);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	note_start(readers, error);
	readers->threads += error == 0;
	return error == 0;
}

/* Sees to it that the queue is being worked on: WORKING_MAX threads besides those that hang. */
static void
tend(struct readers *readers, struct device **devices, size_t count, unsigned queued)
{
	unsigned hanging = 0;
	uint64_t now = clock_monotonic_ns();

	for (size_t i = 0; i < count; i++)
		hanging += devices[i]->phase == DEVICE_BUSY &&
			   now - devices[i]->started_ns >= HANGING_NS;
	for (unsigned free_places = queued > readers->idle ? queued - readers->idle : 0;
		free_places > 0 && readers->threads < WORKING_MAX + hanging; free_places--) {
		if (!start_thread(readers))
			break;
	}
}

static void
enqueue(struct readers *readers, struct device *device)
{
	device->phase = DEVICE_QUEUED;
	atomic_store(&device->cancelled, false);
	if (!device->unanswered) {
		device->unanswered = true;
		device->asked_ns = clock_monotonic_ns();
		device->asked_lost_ns = readers->lost_ns;
	}
	if (device->suspect)
		readers->waiting_suspect++;
	else
		readers->waiting_trusted++;
	if (readers->last != NULL)
		readers->last->next_queued = device;
	else
		readers->first = device;
	readers->last = device;
}

int
readers_ask(struct readers *readers, struct device **devices, size_t count)
{
	unsigned queued = 0;

	pthread_mutex_lock(&readers->lock);
	for (int suspects = 0; suspects <= 1; suspects++) {
		for (size_t i = 0; i < count; i++) {
			struct device *device = devices[i];
			if (!device->listed || device->phase != DEVICE_IDLE || device->fresh ||
				device->suspect != (suspects == 1))
				continue;
			enqueue(readers, device);
			queued++;
		}
	}
	tend(readers, devices, count, queued);
	pthread_cond_broadcast(&readers->work);
	int error = queued > 0 && readers->threads == 0 ? readers->lacking : 0;
	pthread_mutex_unlock(&readers->lock);
	errno = error;
	return error == 0 ? 0 : -1;
}

/* Waits for progress, until `until_ns` at the latest. False when that time has come. */
static bool
wait_for_progress(struct readers *readers, uint64_t until_ns)
{
	struct timespec until = {.tv_sec = (time_t)(until_ns / NUM_NS_PER_S),
		.tv_nsec = (long)(until_ns % NUM_NS_PER_S)};
	pthread_cond_timedwait(&readers->progress, &readers->lock, &until);
	return clock_monotonic_ns() < until_ns;
}

/* Waits until `*waiting` is zero or the time has come, replacing threads that hang while devices
 * are queued. Returns the deadline, which moves by the time in which this process was not let run,
 * as on a frozen machine or one with far too much to do: no device could answer then. */
static uint64_t
wait_for(struct readers *readers, struct device **devices, size_t count, const unsigned *waiting,
	uint64_t deadline_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	while (*waiting > 0 && now_ns < deadline_ns) {
		bool has_queue = readers->first != NULL;
		uint64_t until_ns =
			clock_earlier(deadline_ns, now_ns + (has_queue ? HANGING_NS : LOOK_NS));
		bool is_early = wait_for_progress(readers, until_ns);
		now_ns = clock_monotonic_ns();
		if (is_early)
			continue;
		deadline_ns += now_ns - until_ns;
		readers->lost_ns += now_ns - until_ns;
		unsigned queued = 0;
		for (const struct device *d = readers->first; d != NULL; d = d->next_queued)
			queued++;
		if (queued > 0)
			tend(readers, devices, count, queued);
	}
	return deadline_ns;
}

void
readers_wait(struct readers *readers, struct device **devices, size_t count, uint64_t deadline_ns)
{
	pthread_mutex_lock(&readers->lock);
	deadline_ns = wait_for(readers, devices, count, &readers->waiting_trusted, deadline_ns);

	uint64_t grace_ns = clock_monotonic_ns() + GRACE_NS;
	wait_for(readers, devices, count, &readers->waiting_suspect,
		clock_earlier(grace_ns, deadline_ns));

	for (size_t i = 0; i < count; i++) {
		struct device *device = devices[i];
		if (device->phase == DEVICE_IDLE || device->suspect)
			continue;
		device->suspect = true;
		readers->waiting_trusted--;
		readers->waiting_suspect++;
	}
	pthread_mutex_unlock(&readers->lock);
}

bool
readers_collect(struct readers *readers, struct device *device)
{
	pthread_mutex_lock(&readers->lock);
	bool ready = device->phase == DEVICE_IDLE && device->fresh;
	if (ready)
		device->fresh = false;
	pthread_mutex_unlock(&readers->lock);
	return ready;
}

const char *
readers_silence(struct readers *readers, const struct device *device)
{
	pthread_mutex_lock(&readers->lock);
	bool unasked = device->phase == DEVICE_QUEUED && readers->lacking != 0;
	const char *reason = unasked ? sysfs_errno_name(readers->lacking) : READERS_TIMEOUT;
	pthread_mutex_unlock(&readers->lock);
	return reason;
}

bool
readers_in_flight(struct readers *readers, const struct device *device, struct in_flight *in_flight)
{
	pthread_mutex_lock(&readers->lock);
	uint64_t lost_ns = readers->lost_ns - device->asked_lost_ns;
	uint64_t took_ns = clock_monotonic_ns() - device->asked_ns;
	bool unanswered = device->unanswered;
	pthread_mutex_unlock(&readers->lock);
	*in_flight = (struct in_flight){
		.ms = (took_ns > lost_ns ? took_ns - lost_ns : 0) / NUM_NS_PER_MS,
		.reads_counters = atomic_load(&device->reads_counters),
	};
	return unanswered;
}

void
readers_lose(struct readers *readers, uint64_t lost_ns)
{
	pthread_mutex_lock(&readers->lock);
	readers->lost_ns += lost_ns;
	pthread_mutex_unlock(&readers->lock);
}

void
readers_interrupt(
	struct readers *readers, struct device **devices, size_t count, uint64_t timeout_ns)
{
	uint64_t now = clock_monotonic_ns();

	pthread_mutex_lock(&readers->lock);
	for (size_t i = 0; i < count; i++) {
		struct device *device = devices[i];
		if (device->phase != DEVICE_BUSY || now - device->started_ns < timeout_ns)
			continue;
		/* The flag stops a reader between two files; the signal ends a wait that can be
		 * ended. It may come just before the wait begins: then the next scan's signal ends
		 * it. */
		atomic_store(&device->cancelled, true);
		pthread_kill(device->reader, INTERRUPT);
	}
	pthread_mutex_unlock(&readers->lock);
}

bool
readers_free(struct readers *readers)
{
	uint64_t until_ns = clock_monotonic_ns() + FAREWELL_NS;

	pthread_mutex_lock(&readers->lock);
	readers->ending = true;
	pthread_cond_broadcast(&readers->work);
	while (readers->threads > 0 && wait_for_progress(readers, until_ns))
		;
	bool all_ended = readers->threads == 0;
	pthread_mutex_unlock(&readers->lock);
	if (!all_ended)
		return false;

	pthread_cond_destroy(&readers->progress);
	pthread_cond_destroy(&readers->work);
	pthread_mutex_destroy(&readers->lock);
	free(readers);
	return true;
}
