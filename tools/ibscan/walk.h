/* walk - the devices that one thread reads, one after the other; when one of them keeps it, another
 * thread goes on behind that.
 *
 * There is no lock: whoever has the turn reads. Only the scan's thread gives the turn to somebody
 * else. Who had it is left with the device it is at, and ends when that has been read. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_WALK_H
#define IBSCAN_WALK_H

#include "device.h"

/* What the walks of a scan have in common. */
struct walkers {
	struct reading reading;
	/* eventfd: a walk is over, or a device has been read that a thread was left with */
	int done;
	atomic_bool ending;
	pthread_mutex_t lock;
	pthread_cond_t ended; /* CLOCK_MONOTONIC */
	unsigned threads;     /* under the lock */
};

struct walk {
	struct walkers *walkers;
	int go; /* eventfd: there is something to read */
	/* Whose turn it is, and how many devices are left: walk.c's struct place. */
	atomic_uint_fast64_t at;
	struct device *_Atomic *devices; /* room for all; the first to be read is the last */
	size_t put;                      /* of the walk that is being put together */
	atomic_bool is_vacant;           /* nobody has the turn */
	atomic_int tid;                  /* of the thread that has it, or had it last */
};

/* `root` and `config` are kept. False, with errno, when memory or descriptors run out. */
bool walkers_init(struct walkers *walkers, int root, const struct scan_config *config);
/* Once no thread is left. */
void walkers_fini(struct walkers *walkers);

/* `walkers` is kept. False, with errno, when memory or descriptors run out. */
bool walk_init(struct walk *walk, struct walkers *walkers);
void walk_fini(struct walk *walk);

/* Asks all threads to end, and waits for it until `until_ns` (CLOCK_MONOTONIC). False when one
 * still hangs in the kernel. */
bool walkers_end(
	struct walkers *walkers, struct walk *const *walks, size_t count, uint64_t until_ns);

/* What follows is for the scan's thread. */

/* True when each device has been read, or left with a thread. */
bool walk_is_over(const struct walk *walk);

/* Where the walk is: a value that it has at no other device and no other time. */
uint64_t walk_at(const struct walk *walk);

/* Adds a device that is idle to a walk that is over; the last one added is read first. */
void walk_put(struct walk *walk, struct device *device);

/* Begins with those that were added, or goes on with a walk of which nobody has the turn. 0, or the
 * errno for which no thread could be started that it needs. */
int walk_go(struct walk *walk);

/* Leaves the thread with the device that it reads, if the walk is still `at` that, and goes on
 * behind it. As walk_go(). */
int walk_pass(struct walk *walk, uint64_t at);

/* Ends a walk. The thread is left with the device that it reads; those behind it are idle, with
 * device->unasked saying why. */
void walk_stop(struct walk *walk, int why);

/* Gives up on what the device's thread reads: the flag stops it between two files, the signal ends
 * a wait that can be ended. It may come just before the wait begins: then the next one ends it. */
void walk_interrupt(struct device *device);

#endif
