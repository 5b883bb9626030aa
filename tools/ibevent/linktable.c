/* linktable - the last known state of each network interface; derives its changes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "linktable.h"

#include "array.h"
#include "wraps.h"

#include <stdlib.h>
#include <string.h>

/* Return the position of the interface, or where to insert it. */
static size_t
find(const struct linktable *table, int32_t index)
{
	size_t low = 0, high = table->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (table->entries[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
add(struct linktable *table, size_t at, const struct linktable_entry *entry)
{
	struct linktable_entry *grown =
		array_grown(table->entries, table->count, &table->capacity, sizeof *grown);
	if (grown == NULL)
		return -1;
	table->entries = grown;
	memmove(grown + at + 1, grown + at, (table->count++ - at) * sizeof *grown);
	grown[at] = *entry;
	return 0;
}

/* The kernel's counter has 32 bits and may wrap. */
WRAPS static uint32_t
growth(uint32_t now, uint32_t before)
{
	return now - before;
}

/* The kernel reports the first of several changes within a second at once, but of the others only
 * the final state (kernel#link-notifications). The carrier counter includes all of them. */
static struct linktable_change
compare(const struct linktable_entry *before, const struct linktable_entry *now)
{
	uint32_t edge = before->is_up != now->is_up, changes = edge;
	if (before->has_carrier_changes && now->has_carrier_changes)
		changes = growth(now->carrier_changes, before->carrier_changes);
	/* Ignore a counter that did not grow or seems to have decreased. */
	uint32_t more = changes > edge && changes <= INT32_MAX ? (changes - edge) / 2 : 0;
	return (struct linktable_change){
		.downs = more + (now->is_up ? 0 : edge),
		.ups = more + (now->is_up ? edge : 0),
	};
}

int
linktable_accept(struct linktable *table, enum linkmessage_status status,
	const struct linkmessage *message, struct linktable_change *change)
{
	size_t at = find(table, message->index);
	bool is_known = at < table->count && table->entries[at].index == message->index;
	const struct linktable_entry now = {
		.index = message->index,
		.is_up = message->is_up,
		.has_carrier_changes = message->has_carrier_changes,
		.carrier_changes = message->carrier_changes,
		.is_listed = true,
	};
	*change = (struct linktable_change){0};
	if (status == LINKMESSAGE_GONE) {
		if (is_known)
			memmove(table->entries + at, table->entries + at + 1,
				(--table->count - at) * sizeof *table->entries);
		return 0;
	}
	if (!is_known)
		return add(table, at, &now);
	*change = compare(&table->entries[at], &now);
	table->entries[at] = now;
	return 0;
}

void
linktable_begin_list(struct linktable *table)
{
	for (size_t i = 0; i < table->count; i++)
		table->entries[i].is_listed = false;
}

void
linktable_end_list(struct linktable *table)
{
	size_t kept = 0;
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].is_listed)
			table->entries[kept++] = table->entries[i];
	table->count = kept;
}

void
linktable_fini(struct linktable *table)
{
	free(table->entries);
	*table = (struct linktable){0};
}
