/* open - the conditions of a group that no healthy event has answered yet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "open.h"

#include <stdlib.h>

static bool
has(const struct open *open, const struct sighting *event)
{
	for (size_t i = 0; i < open->count; i++)
		if (sighting_says_the_same(open->items[i].event, event))
			return true;
	return false;
}

int
open_add(struct open *open, uint64_t at_us, struct sighting *event)
{
	if (open->count == OPEN_MAX || has(open, event))
		return 0;
	/* Most groups have one condition: no room to spare. */
	struct open_condition *items = realloc(open->items, (open->count + 1) * sizeof *items);
	if (items == NULL)
		return -1;
	open->items = items;
	size_t place = open->count++;
	for (; place > 0 && items[place - 1].at_us > at_us; place--)
		items[place] = items[place - 1];
	items[place] = (struct open_condition){at_us, sighting_hold(event)};
	return 1;
}

bool
open_end(struct open *open, uint64_t at_us, const struct sighting *healthy)
{
	size_t before = open->count, left = 0;
	for (size_t i = 0; i < before; i++) {
		struct open_condition condition = open->items[i];
		if (condition.at_us <= at_us &&
			(healthy == NULL || sighting_answers(healthy, condition.event)))
			sighting_release(condition.event);
		else
			open->items[left++] = condition;
	}
	open->count = left;
	return left < before;
}

uint64_t
open_since_us(const struct open *open)
{
	uint64_t at_us = open->items[0].at_us;
	return at_us > open->from_us ? at_us : open->from_us;
}

void
open_set_back(struct open *open, uint64_t by_us)
{
	for (size_t i = 0; i < open->count; i++)
		if (open->items[i].at_us > by_us)
			open->items[i].at_us -= by_us;
	/* 0 would mean "none". */
	if (open->from_us > by_us)
		open->from_us -= by_us;
}

void
open_fini(struct open *open)
{
	for (size_t i = 0; i < open->count; i++)
		sighting_release(open->items[i].event);
	free(open->items);
}
