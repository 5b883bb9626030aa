/* Unit tests of emit's queue: the events that not every sink has yet, in order. */
#include "../../tools/emit/queue.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* Line `number` has the number as its text. */
static void
push(struct queue *queue, uint64_t number)
{
	char text[32];
	snprintf(text, sizeof text, "%llu\n", (unsigned long long)number);
	CHECK_INT(queue_push(queue, strdup(text), strlen(text)), 0);
}

/* All lines in the queue are what and where they should be. */
static void
check_lines(const struct queue *queue, uint64_t first, uint64_t end)
{
	size_t bytes = 0;
	CHECK_U64(queue->first, first);
	CHECK_U64(queue->end, end);
	for (uint64_t n = first; n < end; n++) {
		char text[32];
		const struct queue_line *line = queue_at(queue, n);
		snprintf(text, sizeof text, "%llu\n", (unsigned long long)n);
		CHECK_STR(line->text, text);
		CHECK_U64(line->length, strlen(text));
		bytes += line->length;
	}
	CHECK_U64(queue->bytes, bytes);
}

static void
order(void)
{
	struct queue queue = {0};
	for (uint64_t n = 0; n < 10; n++) {
		push(&queue, n);
		check_lines(&queue, 0, n + 1);
	}
	queue_fini(&queue);
	CHECK(queue.ring == NULL && queue.bytes == 0 && queue.first == queue.end);
}

static void
grows_unwrapped(void)
{
	struct queue queue = {0};
	for (uint64_t n = 0; n < 1000; n++)
		push(&queue, n);
	check_lines(&queue, 0, 1000);
	/* A power of two, so that numbers wrap around cleanly. */
	CHECK((queue.capacity & (queue.capacity - 1)) == 0);
	queue_fini(&queue);
}

static void
grows_wrapped(void)
{
	/* For every place at which the ring may begin when it has to grow. */
	for (uint64_t start = 0; start <= 130; start++) {
		struct queue queue = {0};
		check_row("beginning at %d", (int)start);
		for (uint64_t n = 0; n < start; n++) {
			push(&queue, n);
			queue_drop_before(&queue, n + 1);
		}
		for (uint64_t n = start; n < start + 300; n++)
			push(&queue, n);
		check_lines(&queue, start, start + 300);
		queue_fini(&queue);
	}
}

static void
drops(void)
{
	struct queue queue = {0};
	for (uint64_t n = 0; n < 10; n++)
		push(&queue, n);
	queue_drop_before(&queue, 0);
	check_lines(&queue, 0, 10);
	queue_drop_before(&queue, 3);
	check_lines(&queue, 3, 10);
	queue_drop_before(&queue, 3);
	check_lines(&queue, 3, 10);
	/* What is gone already cannot go again. */
	queue_drop_before(&queue, 1);
	check_lines(&queue, 3, 10);
	queue_drop_before(&queue, 10);
	check_lines(&queue, 10, 10);
	push(&queue, 10);
	check_lines(&queue, 10, 11);
	queue_fini(&queue);
}

static void
keeps_its_size(void)
{
	struct queue queue = {0};
	for (uint64_t n = 0; n < 10000; n++) {
		push(&queue, n);
		if (n >= 50)
			queue_drop_before(&queue, n - 49);
	}
	check_lines(&queue, 9950, 10000);
	CHECK(queue.capacity <= 64);
	queue_fini(&queue);
}

static void
empty(void)
{
	struct queue queue = {0};
	queue_drop_before(&queue, 0);
	queue_fini(&queue);
	queue_fini(&queue);
	push(&queue, 0);
	check_lines(&queue, 0, 1);
	queue_fini(&queue);
}

static const struct check_test tests[] = {
	{"lines stay in order and numbered from 0", order},
	{"the queue grows", grows_unwrapped},
	{"the queue grows wherever its ring begins", grows_wrapped},
	{"lines are dropped from the front, and only those", drops},
	{"a queue that is emptied as it is filled stays small", keeps_its_size},
	{"an empty queue can be dropped from and freed", empty},
};
CHECK_MAIN(tests)
