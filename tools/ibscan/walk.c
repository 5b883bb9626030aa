/* walk - a list of devices that one thread reads in turn. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "walk.h"

#include "fd.h"
#include "num.h"
#include "thread.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Interrupts a thread that waits in the kernel. The handler is empty. */
#define INTERRUPT SIGUSR1

/* --- position of a walk: turn, round and device --- */

struct place {
	uint32_t turn;
	uint16_t round; /* incremented for each walk */
	bool has_begun; /* the next of the `left` devices is being read */
	uint16_t left;
};

static_assert(IBSCAN_DEVICES_MAX <= INT16_MAX, "devices can be counted in 15 bits");

static uint64_t
packed(struct place place)
{
	return (uint64_t)place.turn << 32 | (uint64_t)place.round << 16 |
	       (uint64_t)place.has_begun << 15 | place.left;
}

static struct place
unpacked(uint64_t at)
{
	return (struct place){
		.turn = (uint32_t)(at >> 32),
		.round = (uint16_t)(at >> 16 & UINT16_MAX),
		.has_begun = (at >> 15 & 1) != 0,
		.left = (uint16_t)(at & INT16_MAX),
	};
}

static struct place
place_of(const struct walk *walk)
{
	return unpacked(atomic_load(&walk->at));
}

/* Replace the position `*from` by `to`. If the walk is no longer at `*from`, set it to the current
 * position and return false. */
static bool
move(struct walk *walk, struct place *from, struct place to)
{
	uint64_t at = packed(*from);
	bool moved = atomic_compare_exchange_strong(&walk->at, &at, packed(to));
	if (!moved)
		*from = unpacked(at);
	return moved;
}

/* Return the number of devices that no thread has begun to read. */
static uint16_t
untouched_of(struct place place)
{
	return (uint16_t)(place.left - place.has_begun);
}

bool
walk_is_over(const struct walk *walk)
{
	return place_of(walk).left == 0;
}

uint64_t
walk_at(const struct walk *walk)
{
	return atomic_load(&walk->at);
}

/* --- a thread --- */

/* Increment the counter of an eventfd. It never comes near its maximum. */
static void
notify(int fd)
{
	(void)eventfd_write(fd, 1);
}

static void
read_device(const struct walkers *walkers, struct device *device, int tid)
{
	uint64_t started_ns = clock_monotonic_ns();
	device->started_ns = started_ns;
	device->tid = tid;
	atomic_store_explicit(&device->phase, DEVICE_BUSY, memory_order_release);
	device_read(device, &walkers->reading);
	device->took_ns = clock_monotonic_ns() - started_ns;
	device->fresh = !atomic_load(&device->cancelled);
	/* From here on the device belongs to the scan, which may free it. */
	atomic_store_explicit(&device->phase, DEVICE_IDLE, memory_order_release);
}

/* Read devices while this turn lasts. Return true when all devices have been read. */
static bool
read_on(struct walk *walk, uint32_t turn, int tid)
{
	struct place place = place_of(walk);

	while (place.turn == turn && !atomic_load(&walk->walkers->ending)) {
		uint16_t untouched = untouched_of(place);
		/* If the walk is no longer at this place, the device may be wrong, but then move()
		 * fails. */
		struct device *next = untouched > 0 ? walk->devices[untouched - 1] : NULL;
		struct place then = place;
		then.has_begun = untouched > 0;
		then.left = untouched;
		if (!move(walk, &place, then))
			continue;
		if (next == NULL)
			return true;
		read_device(walk->walkers, next, tid);
		place = then;
	}
	return false;
}

static void
take_turns(struct walk *walk, uint32_t turn, int tid)
{
	eventfd_t tokens;

	atomic_store(&walk->tid, tid);
	while (read_on(walk, turn, tid)) {
		notify(walk->walkers->done);
		while (eventfd_read(walk->go, &tokens) < 0 && errno == EINTR)
			;
	}
	notify(walk->walkers->done);
}

/* Argument of a new thread. */
struct start {
	struct walk *walk;
	uint32_t turn;
};

static void *
run(void *argument)
{
	struct start start = *(struct start *)argument;
	struct walkers *walkers = start.walk->walkers;
	int tid = gettid();

	free(argument);
	take_turns(start.walk, start.turn, tid);
	/* A thread that lost its turn continues the walk if no other thread has the turn. */
	while (!atomic_load(&walkers->ending) && atomic_exchange(&start.walk->is_vacant, false))
		take_turns(start.walk, place_of(start.walk).turn, tid);

	pthread_mutex_lock(&walkers->lock);
	walkers->threads--;
	pthread_cond_signal(&walkers->ended);
	pthread_mutex_unlock(&walkers->lock);
	return NULL;
}

static int
create(struct start *start)
{
	pthread_t thread;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	int error = thread_start(&thread, &attributes, INTERRUPT, run, start);
	pthread_attr_destroy(&attributes);
	return error;
}

/* Start a thread for this turn. If that fails, mark the turn as vacant and return the errno. */
static int
start_thread(struct walk *walk, uint32_t turn)
{
	struct walkers *walkers = walk->walkers;
	struct start *start = malloc(sizeof *start);
	int error = ENOMEM;

	pthread_mutex_lock(&walkers->lock);
	if (start != NULL) {
		*start = (struct start){.walk = walk, .turn = turn};
		error = create(start);
	}
	walkers->threads += error == 0;
	pthread_mutex_unlock(&walkers->lock);
	if (error != 0) {
		free(start);
		atomic_store(&walk->is_vacant, true);
	}
	return error;
}

/* --- the scan's side --- */

void
walk_put(struct walk *walk, struct device *device)
{
	device->unasked = 0;
	atomic_store(&device->cancelled, false);
	atomic_store(&device->phase, DEVICE_ASKED);
	walk->devices[walk->put++] = device;
}

int
walk_go(struct walk *walk)
{
	bool is_new = walk->put > 0;
	if (is_new) {
		struct place place = place_of(walk);
		place.round = (uint16_t)((place.round + 1) & UINT16_MAX);
		place.left = (uint16_t)walk->put;
		atomic_store(&walk->at, packed(place));
	}
	walk->put = 0;
	if (walk_is_over(walk))
		return 0;
	if (atomic_exchange(&walk->is_vacant, false))
		return start_thread(walk, place_of(walk).turn);
	if (is_new)
		notify(walk->go);
	return 0;
}

int
walk_pass(struct walk *walk, uint64_t at)
{
	struct place place = unpacked(at), then = place;
	then.turn++;
	then.has_begun = false;
	then.left = untouched_of(place);
	if (!place.has_begun || !move(walk, &place, then))
		return 0;
	return start_thread(walk, then.turn);
}

void
walk_stop(struct walk *walk, int why)
{
	struct place place, then;
	/* Not vacant meanwhile, so that no thread takes the turn. */
	bool is_vacant = atomic_exchange(&walk->is_vacant, false);

	place = place_of(walk);
	do {
		then = place;
		then.turn += place.has_begun;
		then.has_begun = false;
		then.left = 0;
	} while (!move(walk, &place, then));
	if (is_vacant || place.has_begun)
		atomic_store(&walk->is_vacant, true);
	for (uint16_t i = 0; i < untouched_of(place); i++) {
		struct device *device = walk->devices[i];
		device->unasked = why;
		atomic_store(&device->phase, DEVICE_IDLE);
	}
}

void
walk_interrupt(struct device *device)
{
	atomic_store(&device->cancelled, true);
	/* Not pthread_kill(): the thread may already have ended. */
	(void)tgkill(getpid(), device->tid, INTERRUPT);
}

/* --- start and end --- */

static void
on_interrupt(int signal_number)
{
	(void)signal_number;
}

bool
walkers_init(struct walkers *walkers, int root, const struct scan_config *config)
{
	*walkers = (struct walkers){.done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	if (walkers->done < 0)
		return false;
	pthread_mutex_init(&walkers->lock, NULL);
	thread_cond_init(&walkers->ended);
	walkers->reading = (struct reading){.root = root, .config = config, .lock = &walkers->lock};

	/* No SA_RESTART: the blocked call must fail with EINTR. */
	struct sigaction action = {.sa_handler = on_interrupt};
	sigemptyset(&action.sa_mask);
	sigaction(INTERRUPT, &action, NULL);
	return true;
}

void
walkers_fini(struct walkers *walkers)
{
	pthread_cond_destroy(&walkers->ended);
	pthread_mutex_destroy(&walkers->lock);
	close(walkers->done);
}

bool
walk_init(struct walk *walk, struct walkers *walkers)
{
	*walk = (struct walk){.walkers = walkers, .go = -1, .is_vacant = true};
	walk->devices = calloc(IBSCAN_DEVICES_MAX, sizeof *walk->devices);
	if (walk->devices != NULL)
		walk->go = eventfd(0, EFD_CLOEXEC);
	if (walk->go >= 0)
		return true;
	free(walk->devices);
	return false;
}

void
walk_fini(struct walk *walk)
{
	fd_close(walk->go);
	free(walk->devices);
}

bool
walkers_end(struct walkers *walkers, struct walk *const *walks, size_t count, uint64_t until_ns)
{
	const struct timespec until = {.tv_sec = (time_t)(until_ns / NUM_NS_PER_S),
		.tv_nsec = (long)(until_ns % NUM_NS_PER_S)};

	atomic_store(&walkers->ending, true);
	for (size_t i = 0; i < count; i++)
		notify(walks[i]->go);
	pthread_mutex_lock(&walkers->lock);
	while (walkers->threads > 0 &&
		pthread_cond_timedwait(&walkers->ended, &walkers->lock, &until) == 0)
		;
	bool all_ended = walkers->threads == 0;
	pthread_mutex_unlock(&walkers->lock);
	return all_ended;
}
