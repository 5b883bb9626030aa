/* readers - has threads read the devices; a device that hangs does not delay the others
 * (spec#device-deadline).
 *
 * Usually one thread reads them all. If a device blocks it, the thread is left there and another
 * one continues. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_READERS_H
#define IBSCAN_READERS_H

#include "device.h"

struct readers;

/* Directory with the kernel's statistics of each thread. */
#define READERS_TASKS "/proc/self/task"

/* Prepare reading below `root`. A device that is read within `patience_ns` is no longer a suspect.
 * Threads are started when needed. Return NULL when memory or descriptors run out. */
struct readers *readers_new(int root, const struct scan_config *config, uint64_t patience_ns);

/* Ask all threads to end. Return false if one still hangs in the kernel. Then nothing is freed, the
 * devices must stay, and the process should exit. */
bool readers_free(struct readers *readers);

/* Return true while no thread uses the device. */
bool readers_is_idle(const struct device *device);

/* Ask every listed device that is idle and has no unreported reading. Devices that did not answer
 * last time have a thread of their own, so that they do not delay the others. Return 0, or -1 with
 * errno if there is no thread and none can be started. */
int readers_ask(struct readers *readers, struct device **devices, size_t count);

/* Wait until every device asked has answered, for at most `patience_ns` from now. Wait for suspects
 * only a moment longer than for the others. A walk that makes progress extends the time, and so
 * does time during which this process did not run. Devices without an answer become suspects. */
void readers_wait(
	struct readers *readers, struct device **devices, size_t count, uint64_t patience_ns);

/* Let other threads continue where a device blocks one, as readers_wait() does while it waits. Call
 * it between scans, too: with many devices that hang, the last one would otherwise be asked only as
 * many scans later. Return when to call it again, CLOCK_MONOTONIC; UINT64_MAX: not needed. */
uint64_t readers_look(struct readers *readers);

/* Return true if the device has a reading that no scan has reported, and mark it as reported. */
bool readers_collect(struct readers *readers, struct device *device);

#define READERS_TIMEOUT "timeout"

/* Return why the device has no reading: READERS_TIMEOUT, or the errno of starting a thread to ask
 * it. */
const char *readers_silence(const struct device *device);

/* Return true if the device was asked, perhaps repeatedly, and has not answered since. Set how long
 * ago that was, and what is being read. */
bool readers_in_flight(
	const struct readers *readers, const struct device *device, struct in_flight *in_flight);

/* Report time during which this process did not run, so that no device could answer. readers_wait()
 * itself counts what is lost while it waits. */
void readers_lose(struct readers *readers, uint64_t lost_ns);

/* Cancel the readings that began at least `timeout_ns` ago, and interrupt their threads where the
 * kernel allows it. */
void readers_interrupt(struct device **devices, size_t count, uint64_t timeout_ns);

/* Return the lock of the members that ibscan.h assigns to it. */
pthread_mutex_t *readers_lock(struct readers *readers);

#endif
