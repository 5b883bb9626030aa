/* queue - records on their way, each until nothing more is to be heard that bears on it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_QUEUE_H
#define BLASTRADIUS_QUEUE_H

#include "heap.h"
#include "sighting.h"

struct line {
	struct heap_node moment;
	struct sighting *event; /* NULL: it is none, and goes on as it came */
	size_t length;
	char text[]; /* with its line feed */
};

/* All zeros: empty. */
struct queue {
	struct heap lines;
	uint64_t arrived;   /* how many */
	uint64_t latest_us; /* moment of the latest of all that came */
	size_t bytes;
};

/* Adds a record of that moment; `event` is held, and NULL for one without a moment of its own: it
 * stays behind all that came before it. 0, or -1 with errno when memory ran out. */
int queue_add(struct queue *queue, uint64_t at_us, struct sighting *event, const char *text,
	size_t length);

/* The one whose moment comes first; NULL: there is none. */
struct line *queue_first(const struct queue *queue);

/* Gives it back. */
void queue_drop(struct queue *queue, struct line *line);

void queue_fini(struct queue *queue);

#endif
