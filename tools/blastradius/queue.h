/* queue - records on their way, each until nothing more is to be heard that bears on it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_QUEUE_H
#define BLASTRADIUS_QUEUE_H

#include "heap.h"
#include "sighting.h"

struct line {
	struct heap_node moment;
	struct sighting *record;
	bool is_event; /* one with a moment; the others go on as they came */
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

/* Adds a record, which is held, and its text. `at_us`: its moment; NULL: it is no event with one,
 * and stays behind all that came before it. 0, or -1 with errno when memory ran out. */
int queue_add(struct queue *queue, const uint64_t *at_us, struct sighting *record, const char *text,
	size_t length);

/* The one whose moment comes first; NULL: there is none. */
struct line *queue_first(const struct queue *queue);

/* Gives it back. */
void queue_drop(struct queue *queue, struct line *line);

void queue_fini(struct queue *queue);

#endif
