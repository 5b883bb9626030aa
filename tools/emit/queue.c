/* queue - events in memory, in order. */
#include "queue.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64

void
queue_init(struct queue *queue, uint64_t last)
{
	*queue = (struct queue){.first = last + 1, .end = last + 1};
}

uint64_t
queue_last(const struct queue *queue)
{
	return queue->end - 1;
}

static struct queue_line *
slot(const struct queue *queue, uint64_t number)
{
	return &queue->ring[number & (queue->capacity - 1)];
}

void
queue_raise(struct queue *queue, uint64_t last)
{
	/* By a multiple of the capacity, so that each line stays where it is. */
	uint64_t by = last + 1 - queue->first;
	if (queue->capacity > 0)
		by = (by + queue->capacity - 1) & ~((uint64_t)queue->capacity - 1);
	queue->first += by;
	queue->end += by;
}

static int
grow(struct queue *queue)
{
	struct queue larger = *queue;
	larger.capacity = queue->capacity == 0 ? FIRST_CAPACITY : 2 * queue->capacity;
	larger.ring = calloc(larger.capacity, sizeof *larger.ring);
	if (larger.ring == NULL)
		return -1;
	for (uint64_t n = queue->first; n < queue->end; n++)
		*slot(&larger, n) = *slot(queue, n);
	free(queue->ring);
	*queue = larger;
	return 0;
}

int
queue_push(struct queue *queue, char *text, size_t length, uint64_t received_ns)
{
	if (queue->end - queue->first == queue->capacity && grow(queue) < 0) {
		free(text);
		return -1;
	}
	*slot(queue, queue->end++) =
		(struct queue_line){.text = text, .length = length, .received_ns = received_ns};
	queue->bytes += length;
	return 0;
}

const struct queue_line *
queue_at(const struct queue *queue, uint64_t number)
{
	return slot(queue, number);
}

void
queue_drop_before(struct queue *queue, uint64_t number)
{
	for (; queue->first < number; queue->first++) {
		struct queue_line *line = slot(queue, queue->first);
		queue->bytes -= line->length;
		free(line->text);
	}
}

void
queue_fini(struct queue *queue)
{
	queue_drop_before(queue, queue->end);
	free(queue->ring);
	*queue = (struct queue){0};
}
