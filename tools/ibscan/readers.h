/* readers - asks devices what they say, without waiting longer than need be for one that hangs
 * (spec#device-deadline).
 *
 * Mostly one thread reads them all. A device that keeps it is left with it, and another thread goes
 * on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_READERS_H
#define IBSCAN_READERS_H

#include "device.h"

struct readers;

/* Below it the kernel says what each thread does. */
#define READERS_TASKS "/proc/self/task"

/* For reading below `root`. A device whose reading takes less than `patience_ns` is not a suspect
 * any more. NULL when memory or descriptors run out. Threads are started as they are needed. */
struct readers *readers_new(int root, const struct scan_config *config, uint64_t patience_ns);

/* Asks all threads to end; false when one still hangs in the kernel, and then nothing is freed: the
 * process is expected to end, and its devices must stay. */
bool readers_free(struct readers *readers);

/* True while no thread has to do with the device. */
bool readers_is_idle(const struct device *device);

/* Asks every listed device that is idle and has no unreported reading. Those that did not answer
 * last time are asked beside the others, so that they are in nobody's way. 0, or -1 with errno when
 * no thread can be started and there is none: nobody will answer. */
int readers_ask(struct readers *readers, struct device **devices, size_t count);

/* Waits until every device asked for has answered, but for suspects at most a moment longer than
 * for the others, and for nobody beyond `deadline_ns` (CLOCK_MONOTONIC). Those that have not
 * answered are suspects from then on. */
void readers_wait(
	struct readers *readers, struct device **devices, size_t count, uint64_t deadline_ns);

/* True when the device has a reading that no scan has reported yet; it counts as reported then. */
bool readers_collect(struct readers *readers, struct device *device);

#define READERS_TIMEOUT "timeout"

/* Why the device has no reading: READERS_TIMEOUT, or the errno for which no thread could be started
 * to ask it. */
const char *readers_silence(const struct device *device);

/* True for a device that was asked and has not answered since, also when it was asked again: for
 * how long, and what it is asked for. */
bool readers_in_flight(
	const struct readers *readers, const struct device *device, struct in_flight *in_flight);

/* Notes time in which this process was not let run, and in which no device could answer. What is
 * lost while readers_wait() waits it notes itself. */
void readers_lose(struct readers *readers, uint64_t lost_ns);

/* Gives up on readings that began more than `timeout_ns` ago: their threads are interrupted where
 * the kernel allows it. */
void readers_interrupt(struct device **devices, size_t count, uint64_t timeout_ns);

/* The lock that guards what ibscan.h says it guards. */
pthread_mutex_t *readers_lock(struct readers *readers);

#endif
