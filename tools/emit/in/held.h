/* held - events that wait, in the order in which they came: for one that is missing before them
 * (spec#order-of-source), or for more events (spec#routing). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_HELD_H
#define EMIT_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Beyond either nobody is waited for. */
#define HELD_MAX_EVENTS 4096
#define HELD_MAX_BYTES ((size_t)16 << 20)

struct held_event {
	char *source;
	uint64_t seq;
	uint64_t since_ns; /* when it came, of a clock that never steps */
	char *line;        /* with its newline */
	size_t length;
	bool urgent;
	bool baseline; /* see facts.h */
	bool answered; /* see clearing.h */
	bool doubted;  /* a line was lost since it came */
};

struct held {
	struct held_event *events;
	size_t count, capacity;
	size_t bytes; /* of all lines */
};

/* Adds an event, whose line (from malloc) is stolen in every case. 0, or -1 when memory ran out. */
int held_add(struct held *held, const struct held_event *event);

/* The event of this name; NULL when there is none. Valid until the next add or remove. */
struct held_event *held_find(const struct held *held, const char *source, uint64_t seq);

/* Index of the event of this source with the lowest number; `count` when it has none. */
size_t held_lowest(const struct held *held, const char *source);

/* True when there are more than should be. */
bool held_is_full(const struct held *held);

/* A line was lost. */
void held_doubt(struct held *held);

/* Takes out event `index`; line and source are the caller's to free. */
struct held_event held_remove(struct held *held, size_t index);

void held_fini(struct held *held);

/* --- for company: which events may go out by now ---
 *
 * A fatal or healthy event goes at once and takes everything older along, so the order never
 * changes. The others wait for company until their time is over or they are enough. Sinks that take
 * lines gain nothing by waiting, and do not ask. */

struct routing {
	uint64_t window_ns;
	size_t batch_max;
	uint64_t released;  /* number of the last event that may go */
	uint64_t last;      /* number of the last event there is */
	size_t waiting;     /* events after `released` */
	uint64_t oldest_ns; /* when the first of them came */
};

/* An event has come; `urgent`: fatal or healthy. `now_ns` of one clock that never steps. */
void routing_event(struct routing *routing, uint64_t number, bool urgent, uint64_t now_ns);

/* Time has passed. */
void routing_tick(struct routing *routing, uint64_t now_ns);

/* Nothing has to wait any longer: at the end, and for what was there at the beginning. */
void routing_release(struct routing *routing);

/* When routing_tick() will release something; UINT64_MAX: nothing waits. */
uint64_t routing_wakes_at_ns(const struct routing *routing);

#endif
