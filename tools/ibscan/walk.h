/* walk - a list of devices that one thread reads in turn; if a device blocks the thread, another
 * one continues behind that device.
 *
 * There is no lock: the thread that has the turn reads. Only the scan's thread passes the turn on.
 * The previous thread stays with its device, and ends once that has been read. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_WALK_H
#define IBSCAN_WALK_H

#include "device.h"

/* Shared by the walks of a scan. */
struct walkers {
	struct reading reading;
	/* eventfd: a walk is over, or a thread that lost its turn has finished its device */
	int done;
	atomic_bool ending;
	pthread_mutex_t lock;
	pthread_cond_t ended; /* waits by CLOCK_MONOTONIC */
	unsigned threads;     /* number of threads; protected by the lock */
};

struct walk {
	struct walkers *walkers;
	int go; /* eventfd: there are devices to read */
	/* Current turn, and number of devices left: walk.c's struct place. */
	atomic_uint_fast64_t at;
	struct device *_Atomic *devices; /* room for all; read from last to first */
	size_t put;                      /* number of devices added for the next walk */
	atomic_bool is_vacant;           /* no thread has the turn */
	atomic_int tid;                  /* thread that has the turn, or had it last */
};

/* `root` and `config` are kept. Return false with errno when memory or descriptors run out. */
bool walkers_init(struct walkers *walkers, int root, const struct scan_config *config);
/* Call it when no thread is left. */
void walkers_fini(struct walkers *walkers);

/* `walkers` is kept. Return false with errno when memory or descriptors run out. */
bool walk_init(struct walk *walk, struct walkers *walkers);
void walk_fini(struct walk *walk);

/* Ask all threads to end, and wait for them until `until_ns` (CLOCK_MONOTONIC). Return false if one
 * still hangs in the kernel. */
bool walkers_end(
	struct walkers *walkers, struct walk *const *walks, size_t count, uint64_t until_ns);

/* Only the scan's thread may call the functions below. */

/* Return true when each device has been read, or its thread was left with it. */
bool walk_is_over(const struct walk *walk);

/* Return the position of the walk: different for each device and each time. */
uint64_t walk_at(const struct walk *walk);

/* Add an idle device to a walk that is over. The device added last is read first. */
void walk_put(struct walk *walk, struct device *device);

/* Start a walk with the added devices, or continue one that has no thread. Return 0, or the errno
 * of starting the thread that it needs. */
int walk_go(struct walk *walk);

/* If the walk is still `at` this position, leave its thread with the device that it reads, and let
 * a new thread continue behind it. Return as walk_go() does. */
int walk_pass(struct walk *walk, uint64_t at);

/* End a walk. The thread finishes the device that it reads; the devices behind it become idle, with
 * device->unasked set to the errno `why`. */
void walk_stop(struct walk *walk, int why);

/* Give up on the reading of a device. The flag ends it between two files; the signal interrupts a
 * wait in the kernel, if that can be interrupted. If it arrives just before the wait, the next call
 * interrupts it. */
void walk_interrupt(struct device *device);

#endif
