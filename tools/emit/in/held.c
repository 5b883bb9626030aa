/* held - events held back, and the batch window. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "held.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

int
held_add(struct held *held, const struct held_event *event)
{
	struct held_event *events =
		array_grown(held->events, held->count, &held->capacity, sizeof *held->events);
	char *source = strdup(event->source);
	if (events != NULL)
		held->events = events;
	if (events == NULL || source == NULL) {
		free(source);
		free(event->line);
		return -1;
	}
	events[held->count] = *event;
	events[held->count++].source = source;
	held->bytes += event->length;
	return 0;
}

struct held_event *
held_find(const struct held *held, const char *source, uint64_t seq)
{
	for (size_t i = 0; i < held->count; i++) {
		if (held->events[i].seq == seq && strcmp(held->events[i].source, source) == 0)
			return &held->events[i];
	}
	return NULL;
}

size_t
held_lowest(const struct held *held, const char *source)
{
	size_t lowest = held->count;
	for (size_t i = 0; i < held->count; i++) {
		if ((lowest == held->count || held->events[i].seq < held->events[lowest].seq) &&
			strcmp(held->events[i].source, source) == 0)
			lowest = i;
	}
	return lowest;
}

bool
held_is_full(const struct held *held)
{
	return held->count > HELD_MAX_EVENTS || held->bytes > HELD_MAX_BYTES;
}

void
held_doubt(struct held *held)
{
	for (size_t i = 0; i < held->count; i++)
		held->events[i].doubted = true;
}

struct held_event
held_remove(struct held *held, size_t index)
{
	struct held_event event = held->events[index];
	held->count--;
	held->bytes -= event.length;
	held->removed++;
	memmove(held->events + index, held->events + index + 1,
		(held->count - index) * sizeof *held->events);
	return event;
}

void
held_fini(struct held *held)
{
	for (size_t i = 0; i < held->count; i++) {
		free(held->events[i].source);
		free(held->events[i].line);
	}
	free(held->events);
	*held = (struct held){0};
}

/* --- routing --- */

void
routing_event(struct routing *routing, uint64_t number, bool urgent, uint64_t now_ns)
{
	routing->last = number;
	if (routing->waiting++ == 0)
		routing->oldest_ns = now_ns;
	if (urgent || routing->waiting >= routing->batch_max)
		routing_release(routing);
}

void
routing_tick(struct routing *routing, uint64_t now_ns)
{
	if (now_ns >= routing_wakes_at_ns(routing))
		routing_release(routing);
}

void
routing_release(struct routing *routing)
{
	routing->released = routing->last;
	routing->waiting = 0;
}

uint64_t
routing_wakes_at_ns(const struct routing *routing)
{
	return routing->waiting > 0 ? routing->oldest_ns + routing->window_ns : UINT64_MAX;
}
