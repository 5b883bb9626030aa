/* Unit tests of emit's queue: the events that some sink still lacks, in order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/batch.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* Push a line with its number as text. */
static void
push(struct queue *queue, uint64_t number)
{
	char text[32];
	snprintf(text, sizeof text, "%llu\n", (unsigned long long)number);
	const struct queue_line line = {
		.text = strdup(text), .length = strlen(text), .received_ns = number};
	CHECK_INT(queue_push(queue, &line), 0);
}

/* Check the content and position of all lines in the queue. */
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
		CHECK_U64(line->received_ns, n);
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
	/* Try each start of the ring at which it may have to grow. */
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
	/* Dropped lines stay dropped. */
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

static void
begins_anywhere(void)
{
	struct queue queue;
	queue_init(&queue, 0);
	CHECK_U64(queue_last(&queue), 0);
	push(&queue, 1);
	check_lines(&queue, 1, 2);
	CHECK_U64(queue_last(&queue), 1);
	queue_fini(&queue);

	queue_init(&queue, UINT64_C(1) << 50);
	CHECK_U64(queue_last(&queue), UINT64_C(1) << 50);
	for (uint64_t n = 1; n <= 100; n++)
		push(&queue, (UINT64_C(1) << 50) + n);
	check_lines(&queue, (UINT64_C(1) << 50) + 1, (UINT64_C(1) << 50) + 101);
	queue_fini(&queue);
}

static void
is_raised(void)
{
	for (uint64_t start = 0; start <= 130; start++) {
		for (uint64_t count = 0; count <= 130; count += 13) {
			struct queue queue;
			uint64_t last = start + 50;
			check_row("%d lines from %d", (int)count, (int)start + 1);
			queue_init(&queue, start);
			for (uint64_t n = 0; n < count; n++)
				push(&queue, start + 1 + n);
			queue_raise(&queue, last);
			CHECK(queue.first > last);
			CHECK_U64(queue.end - queue.first, count);
			for (uint64_t n = 0; n < count; n++) {
				char text[32];
				snprintf(text, sizeof text, "%llu\n",
					(unsigned long long)(start + 1 + n));
				CHECK_STR(queue_at(&queue, queue.first + n)->text, text);
			}
			push(&queue, queue.end);
			CHECK_U64(queue_last(&queue), queue.first + count);
			queue_fini(&queue);
		}
	}
}

static const struct check_test tests[] = {
	{"lines stay in order and numbered from 0", order},
	{"the queue grows", grows_unwrapped},
	{"the queue grows wherever its ring starts", grows_wrapped},
	{"lines are dropped only from the front", drops},
	{"a queue that is emptied as fast as it fills stays small", keeps_its_size},
	{"an empty queue accepts drops, and can be freed twice and used again", empty},
	{"numbers can start anywhere", begins_anywhere},
	{"lines raised to higher numbers stay in order", is_raised},
};
CHECK_MAIN(tests)
