/* queue - holds records until all related events have arrived. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_QUEUE_H
#define BLASTRADIUS_QUEUE_H

#include "heap.h"
#include "sighting.h"

struct line {
	struct heap_node moment;
	struct sighting *record;
	bool is_event; /* an event to be evaluated; other records pass unchanged */
	size_t length;
	char text[]; /* with its line feed */
};

/* All zeros: empty. */
struct queue {
	struct heap lines;
	uint64_t arrived;   /* number of records added so far */
	uint64_t latest_us; /* latest time of all records added */
	size_t bytes;
};

/* Add a record with its text, and hold a reference to it. `at_us`: its time; NULL: it has none and
 * stays behind all records before it. Return the line, or NULL with errno when memory ran out. */
struct line *queue_add(struct queue *queue, const uint64_t *at_us, struct sighting *record,
	const char *text, size_t length);

/* Return the line with the earliest time, or NULL. */
struct line *queue_first(const struct queue *queue);

/* Remove and free the line. */
void queue_drop(struct queue *queue, struct line *line);

void queue_fini(struct queue *queue);

#endif
