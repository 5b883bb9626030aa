/* queue - events in memory, in order. All sinks read the one queue, each at its own place. */
#ifndef EMIT_QUEUE_H
#define EMIT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

/* One event as a line with its newline. */
struct queue_line {
	char *text;
	size_t length;
	uint64_t received_ns; /* when it came, nanoseconds since 1970 */
};

/* Lines number first to end-1; numbers only grow. */
struct queue {
	struct queue_line *ring;
	size_t capacity; /* a power of two, or 0 */
	uint64_t first, end;
	size_t bytes;
};

/* Empties it: the next line gets the number behind `last`. Not for one that holds lines. */
void queue_init(struct queue *queue, uint64_t last);

/* Gives all lines other numbers, in the same order, that are higher than `last`. */
void queue_raise(struct queue *queue, uint64_t last);

/* The number of the last line there was. */
uint64_t queue_last(const struct queue *queue);

/* Appends a line, whose text (from malloc) is stolen in every case. 0, or -1 when memory runs out. */
int queue_push(struct queue *queue, char *text, size_t length, uint64_t received_ns);

/* Line `number`, which must be in the queue. Valid until the next push or drop. */
const struct queue_line *queue_at(const struct queue *queue, uint64_t number);

/* Forgets the lines before `number`. */
void queue_drop_before(struct queue *queue, uint64_t number);

void queue_fini(struct queue *queue);

#endif
