/* stall - thread that writes scan.stall while a scan makes no progress. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stall.h"

#include "clock.h"
#include "num.h"
#include "record.h"
#include "thread.h"

#include <stdlib.h>
#include <time.h>

/* Interval of the thread's checks during a long scan, and of the scan.stall records. Else the
 * thread sleeps longer, because each wake-up interrupts other work on its CPU. */
#define LOOK_NS NUM_NS_PER_S
#define IDLE_LOOK_NS (2 * LOOK_NS)

/* A usual scan is shorter. A check that meets one must not be followed by a check after LOOK_NS:
 * at an interval of a second that would meet the next scan, and so on. */
#define LONG_SCAN_NS (NUM_NS_PER_S / 10)

struct stall {
	const struct stall_setting *setting;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t end;
	/* protected by the lock */
	bool ending;
	bool scanning;
	uint64_t looked_ns;   /* CLOCK_MONOTONIC: last check, or start of the scan */
	uint64_t underway_ns; /* counted duration of the scan */
};

uint64_t
stall_count_ns(uint64_t before_ns, uint64_t elapsed_ns, bool output_is_free)
{
	if (!output_is_free)
		return before_ns;
	return before_ns + (elapsed_ns < LOOK_NS ? elapsed_ns : LOOK_NS);
}

uint64_t
stall_next_check_ns(uint64_t underway_ns)
{
	return underway_ns >= LONG_SCAN_NS ? LOOK_NS : IDLE_LOOK_NS;
}

/* --- the thread --- */

/* Count the time since the last check. Return the scan's duration if a scan.stall must be written
 * now, else 0. */
static uint64_t
check(struct stall *stall, bool output_is_free)
{
	uint64_t now_ns = clock_monotonic_ns(), due_ns = 0;

	if (stall->scanning) {
		stall->underway_ns = stall_count_ns(
			stall->underway_ns, now_ns - stall->looked_ns, output_is_free);
		stall->looked_ns = now_ns;
		if (output_is_free && stall->underway_ns > stall->setting->allowed_ns)
			due_ns = stall->underway_ns;
	}
	return due_ns;
}

/* Wait until the next check. Return false if the thread must end. The caller holds the lock. */
static bool
wait_for_check(struct stall *stall)
{
	uint64_t until_ns = clock_monotonic_ns() + stall_next_check_ns(stall->underway_ns);
	struct timespec until = {.tv_sec = (time_t)(until_ns / NUM_NS_PER_S),
		.tv_nsec = (long)(until_ns % NUM_NS_PER_S)};

	while (!stall->ending && clock_monotonic_ns() < until_ns)
		pthread_cond_timedwait(&stall->end, &stall->lock, &until);
	return !stall->ending;
}

static void
write_stall(const struct stall *stall, uint64_t underway_ns)
{
	struct clock_moment when;
	clock_now(&when);
	json_t *record = record_stall_new(stall->setting->node, underway_ns / NUM_NS_PER_MS, &when);
	/* Ignore errors: the scan itself will notice that the reader is gone. */
	if (record != NULL)
		output_write_locked(stall->setting->output, record);
	json_decref(record);
}

static void *
run(void *argument)
{
	struct stall *stall = argument;
	struct output *output = stall->setting->output;

	pthread_mutex_lock(&stall->lock);
	while (wait_for_check(stall)) {
		/* If the output is locked or full, the scan is writing, or waits for its own
		 * reader. */
		bool is_free = output_lock_if_free(output);
		uint64_t underway_ns = check(stall, is_free);
		pthread_mutex_unlock(&stall->lock);
		if (underway_ns > 0)
			write_stall(stall, underway_ns);
		if (is_free)
			output_unlock(output);
		pthread_mutex_lock(&stall->lock);
	}
	pthread_mutex_unlock(&stall->lock);
	return NULL;
}

/* --- the scan's side --- */

struct stall *
stall_start(const struct stall_setting *setting)
{
	struct stall *stall = calloc(1, sizeof *stall);
	if (stall == NULL)
		return NULL;
	stall->setting = setting;
	pthread_mutex_init(&stall->lock, NULL);
	thread_cond_init(&stall->end);
	if (thread_start(&stall->thread, NULL, 0, run, stall) == 0)
		return stall;
	pthread_cond_destroy(&stall->end);
	pthread_mutex_destroy(&stall->lock);
	free(stall);
	return NULL;
}

void
stall_stop(struct stall *stall)
{
	if (stall == NULL)
		return;
	pthread_mutex_lock(&stall->lock);
	stall->ending = true;
	pthread_cond_signal(&stall->end);
	pthread_mutex_unlock(&stall->lock);
	pthread_join(stall->thread, NULL);
	pthread_cond_destroy(&stall->end);
	pthread_mutex_destroy(&stall->lock);
	free(stall);
}

static void
set_scanning(struct stall *stall, bool scanning)
{
	if (stall == NULL)
		return;
	pthread_mutex_lock(&stall->lock);
	stall->scanning = scanning;
	stall->underway_ns = 0;
	stall->looked_ns = clock_monotonic_ns();
	pthread_mutex_unlock(&stall->lock);
}

void
stall_begin_scan(struct stall *stall)
{
	set_scanning(stall, true);
}

void
stall_end_scan(struct stall *stall)
{
	set_scanning(stall, false);
}
