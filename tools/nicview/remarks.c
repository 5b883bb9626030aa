/* remarks - formats the last column: why a row is marked, and its error counters. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "remarks.h"

#include "cells.h"
#include "portfacts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- error counters --- */

static bool
has(const struct errorcount *counts, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(counts[i].name, name) == 0)
			return true;
	}
	return false;
}

size_t
remarks_count_errors(
	const struct counter_list *list, const struct scanrec_port *port, struct errorcount *counts)
{
	size_t count = 0;

	for (int fatal = 1; fatal >= 0; fatal--) {
		for (size_t i = 0; i < list->count && count < ERRORCOUNTS_MAX; i++) {
			const struct counter_def *def = &list->items[i];
			double normal = def->type == COUNTER_DELTA ? def->threshold : 0;
			uint64_t value = 0;

			if (def->fatal != (fatal != 0) || !counter_counts_errors(def) ||
				rec_u64(portfacts_counter(port, def), &value) != REC_OK ||
				(double)value <= normal || has(counts, count, def->file))
				continue;
			counts[count++] = (struct errorcount){
				.name = def->file,
				.value = value,
				.full = value == counter_maximum(def),
			};
		}
	}
	return count;
}

/* --- the column --- */

void
remarks_of(const struct row *row, const struct counter_list *list, struct remarks *remarks)
{
	cell_escape(row->reason, remarks->reason, sizeof remarks->reason);
	remarks->count =
		row->port != NULL ? remarks_count_errors(list, row->port, remarks->counts) : 0;
}

static size_t
format_count(const struct errorcount *count, char *text, size_t size)
{
	return (size_t)snprintf(
		text, size, "%s%s%" PRIu64, count->name, count->full ? ">=" : "=", count->value);
}

/* REMARKS_SIZE fits the longest reason and all counters of the built-in list. */
size_t
remarks_format(const struct remarks *remarks, size_t width, char text[REMARKS_SIZE])
{
	size_t length = (size_t)snprintf(text, REMARKS_SIZE, "%s", remarks->reason);

	for (size_t i = 0; i < remarks->count; i++) {
		char count[128], rest[16] = "";
		const char *gap = i > 0 ? " " : *remarks->reason != '\0' ? "; " : "";
		size_t more = (size_t)snprintf(rest, sizeof rest, " +%zu", remarks->count - i);
		size_t wanted = format_count(&remarks->counts[i], count, sizeof count);

		/* Unless this is the last counter, leave room for the number of those omitted. */
		size_t after = i + 1 < remarks->count ? more : 0;
		if (i > 0 && length + 1 + wanted + after > width)
			return length +
			       (size_t)snprintf(text + length, REMARKS_SIZE - length, "%s", rest);
		length +=
			(size_t)snprintf(text + length, REMARKS_SIZE - length, "%s%s", gap, count);
	}
	return length;
}

bool
remarks_fit(const struct remarks *remarks, size_t width)
{
	char text[REMARKS_SIZE];
	size_t wanted = *remarks->reason != '\0' ? REMARKS_SIZE : width;
	return remarks_format(remarks, wanted, text) <= width;
}
