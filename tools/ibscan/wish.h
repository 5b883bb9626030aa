/* wish - when an extra scan reads a device because an event says that it changed
 * (spec#extra-scans). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_WISH_H
#define IBSCAN_WISH_H

#include "num.h"

#include <stdbool.h>
#include <stdint.h>

/* Maximum number of extra readings per second, each of all devices that are due. */
#define WISH_LOOKS_MAX 10

/* Request to read a device. All zeros: none. Times are CLOCK_MONOTONIC. */
struct wish {
	bool stands;
	unsigned looks;    /* number of readings that showed nothing new */
	uint64_t since_ns; /* when the latest event was read */
	uint64_t again_ns; /* time of the next reading after one without an answer; 0: unset */
};

/* How long to retry a device that does not answer. */
#define WISH_PATIENCE_NS NUM_NS_PER_S

/* Result of a reading. */
enum wish_sight {
	WISH_NOTHING, /* nothing new */
	WISH_NEWS,    /* a new state, or an error, which the next scan reports */
	WISH_SILENCE, /* no answer in time */
};

/* Start a request for an event, or restart it with a new one. */
void wish_begin(struct wish *wish, uint64_t now_ns);

/* Return when the device must be read. UINT64_MAX: never. */
uint64_t wish_due_ns(const struct wish *wish);

/* Record the result of a reading. Something new ends the request. Else retry: a few times if
 * nothing was new, since sysfs may lag behind the event; for WISH_PATIENCE_NS if there was no
 * answer, since a busy machine may delay the reader. */
void wish_record(struct wish *wish, enum wish_sight sight, uint64_t now_ns);

/* Times of the latest readings, of any device. All zeros: none. */
struct wish_looks {
	uint64_t at_ns[WISH_LOOKS_MAX]; /* ring buffer */
	unsigned next;                  /* index of the next, which replaces the oldest */
};

/* Return the earliest time at or after `due_ns` at which WISH_LOOKS_MAX allows a reading. */
uint64_t wish_allowed_ns(const struct wish_looks *looks, uint64_t due_ns);

/* Record a reading of any device, for wish_allowed_ns(). */
void wish_note_reading(struct wish_looks *looks, uint64_t now_ns);

#endif
