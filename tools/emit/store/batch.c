/* batch - events as lines, and the queue in memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "batch.h"

#include "array.h"
#include "rec.h"

#include <stdlib.h>
#include <string.h>

int
batch_add(struct batch *batch, uint64_t number, const char *record, size_t length)
{
	struct batch_event *events =
		array_grown(batch->events, batch->count, &batch->room, sizeof *events);
	if (events == NULL)
		return -1;
	batch->events = events;
	size_t at = batch->lines.length;
	if (strbuf_reserve(&batch->lines, length + 1) == NULL)
		return -1;
	strbuf_add(&batch->lines, record, length);
	strbuf_add(&batch->lines, "\n", 1);
	events[batch->count++] =
		(struct batch_event){.number = number, .at = at, .length = length + 1};
	return 0;
}

int
batch_append(struct batch *batch, const struct batch *more)
{
	for (size_t i = 0; i < more->count; i++) {
		const struct batch_event *event = &more->events[i];
		if (batch_add(batch, event->number, batch_line(more, i), event->length - 1) < 0)
			return -1;
		batch->events[batch->count - 1].quiet = event->quiet;
		batch->events[batch->count - 1].answered = event->answered;
	}
	return 0;
}

const char *
batch_line(const struct batch *batch, size_t index)
{
	return batch->lines.bytes + batch->events[index].at;
}

const json_t *
batch_record(const struct batch *batch, size_t index)
{
	struct batch_event *event = &batch->events[index];
	struct rec_error error;
	if (!event->is_parsed)
		event->record = rec_parse_new(batch_line(batch, index), event->length - 1, &error);
	event->is_parsed = true;
	return event->record;
}

/* Free the parsed records of the events from `first` on. */
static void
forget_records(struct batch *batch, size_t first)
{
	for (size_t i = first; i < batch->count; i++)
		json_decref(batch->events[i].record);
}

/* A line that is no record is passed on: the sink reports it. */
bool
batch_is_left_out(
	const struct batch *batch, size_t index, bool with_quiet, const struct choice *choice)
{
	const struct batch_event *event = &batch->events[index];
	if (event->answered || (event->quiet && !with_quiet))
		return true;
	const json_t *record = choice_is_narrow(choice) ? batch_record(batch, index) : NULL;
	return record != NULL && !choice_wants(choice, record);
}

void
batch_leave_out(struct batch *batch, bool with_quiet, const struct choice *choice)
{
	size_t kept = 0;
	for (size_t i = 0; i < batch->count; i++) {
		if (batch_is_left_out(batch, i, with_quiet, choice))
			json_decref(batch->events[i].record);
		else
			batch->events[kept++] = batch->events[i];
	}
	batch->count = kept;
}

char *
batch_lines_new(const struct batch *batch, size_t *length)
{
	size_t used = 0;
	*length = 0;
	for (size_t i = 0; i < batch->count; i++)
		*length += batch->events[i].length;
	char *lines = malloc(*length + 1);
	for (size_t i = 0; i < batch->count && lines != NULL; used += batch->events[i++].length)
		memcpy(lines + used, batch_line(batch, i), batch->events[i].length);
	if (lines != NULL)
		lines[used] = '\0';
	return lines;
}

void
batch_shift(struct batch *batch, uint64_t by)
{
	for (size_t i = 0; i < batch->count; i++)
		batch->events[i].number += by;
}

void
batch_cut(struct batch *batch, size_t count)
{
	if (count < batch->count)
		batch->lines.length = batch->events[count].at;
	forget_records(batch, count);
	batch->count = count;
}

void
batch_clear(struct batch *batch)
{
	forget_records(batch, 0);
	strbuf_clear(&batch->lines);
	batch->count = 0;
}

void
batch_fini(struct batch *batch)
{
	forget_records(batch, 0);
	strbuf_fini(&batch->lines);
	free(batch->events);
	*batch = (struct batch){0};
}

/* --- the queue --- */

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
	/* Shift by a multiple of the capacity, so that each line keeps its slot. */
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
queue_push(struct queue *queue, const struct queue_line *line)
{
	if (queue->end - queue->first == queue->capacity && grow(queue) < 0) {
		free(line->text);
		free(line->facts);
		return -1;
	}
	*slot(queue, queue->end++) = *line;
	queue->bytes += line->length;
	return 0;
}

const struct queue_line *
queue_at(const struct queue *queue, uint64_t number)
{
	return slot(queue, number);
}

void
queue_drop_facts(struct queue *queue, uint64_t number, uint64_t end)
{
	for (; number < end; number++) {
		struct queue_line *line = slot(queue, number);
		free(line->facts);
		line->facts = NULL;
	}
}

void
queue_drop_before(struct queue *queue, uint64_t number)
{
	for (; queue->first < number; queue->first++) {
		struct queue_line *line = slot(queue, queue->first);
		queue->bytes -= line->length;
		free(line->text);
		free(line->facts);
	}
}

void
queue_fini(struct queue *queue)
{
	queue_drop_before(queue, queue->end);
	free(queue->ring);
	*queue = (struct queue){0};
}
