/* queue - holds records until all related events have arrived. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

struct line *
queue_add(struct queue *queue, const uint64_t *at_us, struct sighting *record, const char *text,
	size_t length)
{
	struct line *line = malloc(sizeof *line + length + 1);
	if (line == NULL)
		return NULL;
	if (at_us != NULL && *at_us > queue->latest_us)
		queue->latest_us = *at_us;
	*line = (struct line){.moment.at_us = at_us != NULL ? *at_us : queue->latest_us,
		.moment.rank = queue->arrived,
		.is_event = at_us != NULL,
		.length = length + 1};
	memcpy(line->text, text, length);
	line->text[length] = '\n';
	if (heap_add(&queue->lines, &line->moment) < 0) {
		free(line);
		return NULL;
	}
	line->record = sighting_hold(record);
	queue->arrived++;
	queue->bytes += line->length;
	return line;
}

struct line *
queue_first(const struct queue *queue)
{
	return (struct line *)heap_first(&queue->lines);
}

void
queue_drop(struct queue *queue, struct line *line)
{
	heap_remove(&queue->lines, &line->moment);
	queue->bytes -= line->length;
	sighting_release(line->record);
	free(line);
}

void
queue_fini(struct queue *queue)
{
	struct line *line;
	while ((line = queue_first(queue)) != NULL)
		queue_drop(queue, line);
	heap_fini(&queue->lines);
}
