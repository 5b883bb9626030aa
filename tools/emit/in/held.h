/* held - events held back, in order of arrival, until a missing earlier one arrives
 * (spec#order-of-source); and routing, the batch window of events (spec#routing). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_HELD_H
#define EMIT_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Above either limit emit stops waiting for missing events. */
#define HELD_MAX_EVENTS 4096
#define HELD_MAX_BYTES ((size_t)16 << 20)

struct held_event {
	char *source;
	uint64_t seq;
	uint64_t since_ns; /* arrival, ns of a monotonic clock */
	char *line;        /* ends with a newline */
	size_t length;
	bool urgent;
	bool baseline; /* facts.baseline */
	bool answered; /* see clearing.h */
	bool doubted;  /* a line was lost after this event arrived */
};

struct held {
	struct held_event *events;
	size_t count, capacity;
	size_t bytes;     /* sum of `length` */
	uint64_t removed; /* how many events held_remove() has returned */
};

/* Add an event and take ownership of event->line (from malloc), also on failure. Copies source.
 * Return 0, or -1 if memory runs out. */
int held_add(struct held *held, const struct held_event *event);

/* Return the event, or NULL if it is not held. Valid until the next add or remove. */
struct held_event *held_find(const struct held *held, const char *source, uint64_t seq);

/* Return the index of the source's event with the lowest seq, or `count` if it has none. */
size_t held_lowest(const struct held *held, const char *source);

/* Return true if a limit is exceeded. */
bool held_is_full(const struct held *held);

/* Mark every held event as doubted: a line was lost. */
void held_doubt(struct held *held);

/* Remove event `index` and return it. The caller frees its line and source. */
struct held_event held_remove(struct held *held, size_t index);

void held_fini(struct held *held);

/* --- routing: which events may be sent now ---
 *
 * A fatal or healthy event is sent at once, together with all older events, so that the order never
 * changes. The others wait until the window is over or a batch is full. Sinks that write lines gain
 * nothing from batches and ignore this. */

struct routing {
	uint64_t window_ns;
	size_t batch_max;
	uint64_t released;  /* number of the last event that may be sent */
	uint64_t last;      /* number of the last event */
	size_t waiting;     /* events after `released` */
	uint64_t oldest_ns; /* arrival of the first of these */
};

/* Add event `number`; `urgent`: fatal or healthy. `now_ns` of a monotonic clock. */
void routing_event(struct routing *routing, uint64_t number, bool urgent, uint64_t now_ns);

/* Release the waiting events if their window is over. */
void routing_tick(struct routing *routing, uint64_t now_ns);

/* Release all waiting events, as at the end of input and for the events of earlier runs. */
void routing_release(struct routing *routing);

/* Return when routing_tick() will release events, or UINT64_MAX if none wait. */
uint64_t routing_wakes_at_ns(const struct routing *routing);

#endif
