/* wish - when devices are looked at between two scans, because an event says that they have changed
 * (spec#extra-scans). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_WISH_H
#define IBSCAN_WISH_H

#include <stdbool.h>
#include <stdint.h>

/* Most looks within a second. */
#define WISH_LOOKS_MAX 10

/* A device that is to be looked at. All zeros: it is not. Times are of CLOCK_MONOTONIC. */
struct wish {
	bool stands;
	unsigned looks;    /* that have shown nothing new */
	uint64_t since_ns; /* when the latest event was read */
	uint64_t
		again_ns; /* when to look again after a look without an answer; 0: there was none */
};

/* For so long a device that does not answer is looked at again. */
#define WISH_PATIENCE_NS (UINT64_C(1000) * 1000 * 1000)

/* What has come of a look. */
enum wish_sight {
	WISH_NOTHING, /* new */
	WISH_NEWS,    /* or an error, which the next scan tells */
	WISH_SILENCE, /* no answer in time */
};

/* An event says that the device has changed. What was waited for so far is begun anew. */
void wish_begin(struct wish *wish, uint64_t now_ns);

/* When it is to be looked at; UINT64_MAX: not at all. */
uint64_t wish_due_ns(const struct wish *wish);

/* It has been looked at. Something new ends it. Else it is to be looked at again: a few times,
 * since sysfs may be a moment behind the event; or for a while, since a busy machine may let nobody
 * read just now. */
void wish_look(struct wish *wish, enum wish_sight sight, uint64_t now_ns);

/* The latest looks, whatever the device. All zeros: none. */
struct wish_looks {
	uint64_t at_ns[WISH_LOOKS_MAX]; /* a ring */
	unsigned next;                  /* where the next goes, in place of the oldest */
};

/* When the next look may be, if it is wished for at `due_ns`. */
uint64_t wish_allowed_ns(const struct wish_looks *looks, uint64_t due_ns);

void wish_note_look(struct wish_looks *looks, uint64_t now_ns);

#endif
