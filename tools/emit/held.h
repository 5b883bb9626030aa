/* held - events that wait for one that is missing before them: sources.h says why. In the order in which they came. */
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
	bool doubted; /* a line was lost since it came */
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

#endif
