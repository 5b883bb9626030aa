/* readers - has threads read the devices; a device that hangs does not delay the others. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "readers.h"

#include "diag.h"
#include "fd.h"
#include "num.h"
#include "sysfs.h"
#include "walk.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

/* A thread that is at the same device for longer than this is left there, and another continues.
 * Also the interval of that check. */
#define HANGING_NS (10 * NUM_NS_PER_MS)

/* Longest sleep of the scan's thread. A longer one shows that this process was not running. */
#define LOOK_NS (100 * NUM_NS_PER_MS)

/* How long a scan waits for suspects once all others have answered. */
#define GRACE_NS (10 * NUM_NS_PER_MS)

/* How long readers_free() waits for readers that were interrupted. */
#define FAREWELL_NS (200 * NUM_NS_PER_MS)

/* When a walk was first seen at its current device. */
struct sight {
	uint64_t at, since_ns;
	uint64_t ran_ns; /* CPU time of its thread until then, plus the time it waited for a CPU */
};

struct readers {
	struct walkers walkers;
	struct walk trusted, suspects; /* devices that answered last time, and the others */
	struct sight trusted_sight, suspects_sight;
	int tasks;            /* /proc/self/task; -1: not available */
	uint64_t patience_ns; /* limit for a reading in time */
	uint64_t lost_ns;     /* time during which this process did not run, as far as known */
	int lacking;          /* errno of the last attempt to start a thread; 0: success */
};

struct readers *
readers_new(int root, const struct scan_config *config, uint64_t patience_ns)
{
	struct readers *readers = calloc(1, sizeof *readers);
	if (readers == NULL)
		return NULL;
	readers->patience_ns = patience_ns;
	if (!walkers_init(&readers->walkers, root, config)) {
		free(readers);
		return NULL;
	}
	bool good = walk_init(&readers->trusted, &readers->walkers);
	if (good && !walk_init(&readers->suspects, &readers->walkers)) {
		walk_fini(&readers->trusted);
		good = false;
	}
	if (!good) {
		walkers_fini(&readers->walkers);
		free(readers);
		return NULL;
	}
	readers->tasks = sysfs_open_root(READERS_TASKS);
	return readers;
}

pthread_mutex_t *
readers_lock(struct readers *readers)
{
	return &readers->walkers.lock;
}

bool
readers_is_idle(const struct device *device)
{
	return atomic_load_explicit(&device->phase, memory_order_acquire) == DEVICE_IDLE;
}

/* --- asking --- */

/* Report the first failure to start a thread. The other threads continue; devices that they do not
 * reach have not failed to answer. Return 0, or -1 with errno if there is no thread at all. */
static int
note_start(struct readers *readers, int error)
{
	pthread_mutex_lock(&readers->walkers.lock);
	unsigned threads = readers->walkers.threads;
	pthread_mutex_unlock(&readers->walkers.lock);
	if (error != 0 && readers->lacking == 0 && threads > 0)
		diag_warn("cannot start a thread: %s: continuing with only %u", strerror(error),
			threads);
	readers->lacking = error;
	errno = error;
	return error == 0 || threads > 0 ? 0 : -1;
}

static void
ask(struct readers *readers, struct device *device)
{
	if (!device->unanswered) {
		device->unanswered = true;
		device->asked_ns = clock_monotonic_ns();
		device->asked_lost_ns = readers->lost_ns;
	}
	walk_put(device->suspect ? &readers->suspects : &readers->trusted, device);
}

int
readers_ask(struct readers *readers, struct device **devices, size_t count)
{
	/* Suspects have a walk of their own, which may take longer than one scan. */
	bool suspects_too = walk_is_over(&readers->suspects);
	for (size_t i = count; i > 0; i--) {
		struct device *device = devices[i - 1];
		if (device->listed && readers_is_idle(device) && !device->fresh &&
			(!device->suspect || suspects_too))
			ask(readers, device);
	}
	int error = walk_go(&readers->trusted);
	int other_error = walk_go(&readers->suspects);
	if (error == 0)
		error = other_error;
	return error != 0 || readers->lacking != 0 ? note_start(readers, error) : 0;
}

/* --- waiting --- */

/* Return how long the walk's thread has run or waited for a CPU until now. 0 if the kernel does not
 * tell: then all time counts as the device's. */
static uint64_t
ran_ns(const struct readers *readers, const struct walk *walk)
{
	char path[32], text[SYSFS_TEXT_MAX];
	unsigned long long run_ns, waited_ns;

	snprintf(path, sizeof path, "%d/schedstat", atomic_load(&walk->tid));
	if (sysfs_read_path(readers->tasks, path, text, sizeof text) != SYSFS_OK ||
		sscanf(text, "%llu %llu", &run_ns, &waited_ns) != 2)
		return 0;
	return run_ns + waited_ns;
}

/* Let another thread continue the walk if its device has not answered for HANGING_NS. The time
 * during which the thread ran or waited for a CPU, as on an overloaded machine, does not count. */
static void
pass_if_hung(struct readers *readers, struct walk *walk, struct sight *sight)
{
	uint64_t now_ns = clock_monotonic_ns(), at = walk_at(walk);
	if (walk_is_over(walk))
		return;
	if (at != sight->at) {
		*sight = (struct sight){
			.at = at, .since_ns = now_ns, .ran_ns = ran_ns(readers, walk)};
		return;
	}
	if (now_ns - sight->since_ns < HANGING_NS)
		return;
	uint64_t ran = ran_ns(readers, walk);
	uint64_t let_run_ns = ran > sight->ran_ns ? ran - sight->ran_ns : 0;
	if (now_ns - sight->since_ns < HANGING_NS + let_run_ns)
		return;
	int error = walk_pass(walk, at);
	if (error != 0)
		(void)note_start(readers, error);
}

uint64_t
readers_look(struct readers *readers)
{
	pass_if_hung(readers, &readers->trusted, &readers->trusted_sight);
	pass_if_hung(readers, &readers->suspects, &readers->suspects_sight);
	bool are_over = walk_is_over(&readers->trusted) && walk_is_over(&readers->suspects);
	/* Without another thread, only the next scan can tell who is not read. */
	return are_over || readers->lacking != 0 ? UINT64_MAX : clock_monotonic_ns() + HANGING_NS;
}

/* Wait until a reader writes the eventfd, or until `until_ns`. Return false if that time has
 * passed. */
static bool
wait_for_word(const struct readers *readers, uint64_t until_ns)
{
	uint64_t left_ns = clock_left_ns(until_ns, clock_monotonic_ns());
	const struct timespec left = {.tv_sec = (time_t)(left_ns / NUM_NS_PER_S),
		.tv_nsec = (long)(left_ns % NUM_NS_PER_S)};
	struct pollfd done = {.fd = readers->walkers.done, .events = POLLIN};
	eventfd_t tokens;

	if (ppoll(&done, 1, &left, NULL) == 1)
		(void)eventfd_read(done.fd, &tokens);
	return clock_monotonic_ns() < until_ns;
}

/* Return true while a suspect (or, if `suspect` is false, another device) has not answered. */
static bool
is_waited_for(struct device **devices, size_t count, bool suspect)
{
	for (size_t i = 0; i < count; i++) {
		if (devices[i]->suspect == suspect && !readers_is_idle(devices[i]))
			return true;
	}
	return false;
}

/* Wait until all suspects (or all others) have answered, or for the deadline. Let a walk that makes
 * progress finish even after the deadline: a device that was not asked has not failed to answer.
 * Return the deadline, later by the time during which this process did not run, as on a frozen or
 * overloaded machine: no device could answer then. */
static uint64_t
wait_for(struct readers *readers, struct device **devices, size_t count, bool suspect,
	uint64_t deadline_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	while (is_waited_for(devices, count, suspect)) {
		bool gets_on =
			!suspect && !walk_is_over(&readers->trusted) && readers->lacking == 0;
		if (now_ns >= deadline_ns && !gets_on)
			break;
		bool looks = !walk_is_over(&readers->trusted) || !walk_is_over(&readers->suspects);
		uint64_t until_ns = now_ns + (looks ? HANGING_NS : LOOK_NS);
		if (now_ns < deadline_ns)
			until_ns = clock_earlier(until_ns, deadline_ns);
		bool is_early = wait_for_word(readers, until_ns);
		now_ns = clock_monotonic_ns();
		if (!is_early) {
			deadline_ns += now_ns - until_ns;
			readers->lost_ns += now_ns - until_ns;
		}
		(void)readers_look(readers);
	}
	return deadline_ns;
}

void
readers_wait(struct readers *readers, struct device **devices, size_t count, uint64_t patience_ns)
{
	uint64_t deadline_ns =
		wait_for(readers, devices, count, false, clock_monotonic_ns() + patience_ns);
	uint64_t grace_ns = clock_monotonic_ns() + GRACE_NS;
	wait_for(readers, devices, count, true, clock_earlier(grace_ns, deadline_ns));

	/* Give up on the devices that no thread could be started for. */
	if (readers->lacking != 0) {
		walk_stop(&readers->trusted, readers->lacking);
		walk_stop(&readers->suspects, readers->lacking);
	}
	for (size_t i = 0; i < count; i++)
		devices[i]->suspect |= !readers_is_idle(devices[i]);
}

/* --- results --- */

bool
readers_collect(struct readers *readers, struct device *device)
{
	if (!readers_is_idle(device) || !device->fresh)
		return false;
	device->fresh = false;
	device->unanswered = false;
	/* Slow is not hung: the next scan waits for a device that answered within patience_ns. */
	if (device->took_ns < readers->patience_ns)
		device->suspect = false;
	return true;
}

const char *
readers_silence(const struct device *device)
{
	return device->unasked != 0 ? sysfs_errno_name(device->unasked) : READERS_TIMEOUT;
}

bool
readers_in_flight(
	const struct readers *readers, const struct device *device, struct in_flight *in_flight)
{
	uint64_t lost_ns = readers->lost_ns - device->asked_lost_ns;
	uint64_t took_ns = clock_monotonic_ns() - device->asked_ns;
	*in_flight = (struct in_flight){
		.ms = (took_ns > lost_ns ? took_ns - lost_ns : 0) / NUM_NS_PER_MS,
		.reads_counters = atomic_load(&device->reads_counters),
	};
	return device->unanswered;
}

void
readers_lose(struct readers *readers, uint64_t lost_ns)
{
	readers->lost_ns += lost_ns;
}

void
readers_interrupt(struct device **devices, size_t count, uint64_t timeout_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	for (size_t i = 0; i < count; i++) {
		struct device *device = devices[i];
		if (atomic_load_explicit(&device->phase, memory_order_acquire) == DEVICE_BUSY &&
			now_ns - device->started_ns >= timeout_ns)
			walk_interrupt(device);
	}
}

bool
readers_free(struct readers *readers)
{
	struct walk *const walks[] = {&readers->trusted, &readers->suspects};
	if (!walkers_end(&readers->walkers, walks, 2, clock_monotonic_ns() + FAREWELL_NS))
		return false;
	walk_fini(&readers->trusted);
	walk_fini(&readers->suspects);
	walkers_fini(&readers->walkers);
	fd_close(readers->tasks);
	free(readers);
	return true;
}
