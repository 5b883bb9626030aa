/* metricsgroup - metrics series that are shown while a condition lasts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "metricsgroup.h"

#include "array.h"

#include <stdlib.h>

void
metricsgroup_begin(struct metricsgroup *group)
{
	struct metrics_cell **spare = group->before;
	size_t spare_capacity = group->before_capacity;

	group->before = group->cells;
	group->before_count = group->count;
	group->before_capacity = group->capacity;
	group->cells = spare;
	group->capacity = spare_capacity;
	group->count = group->lost = 0;
}

void
metricsgroup_set(struct metricsgroup *group, struct metrics_cell *cell, uint64_t value)
{
	struct metrics_cell **cells = NULL;

	if (cell != NULL)
		cells = array_grown(group->cells, group->count, &group->capacity,
			sizeof(struct metrics_cell *));
	/* A series that the group does not store could never be removed: do not show it. */
	if (cells == NULL) {
		group->lost++;
		return;
	}
	group->cells = cells;
	group->cells[group->count++] = cell;
	metrics_set(cell, value);
}

static int
compare(const void *left, const void *right)
{
	const struct metrics_cell *a = *(struct metrics_cell *const *)left;
	const struct metrics_cell *b = *(struct metrics_cell *const *)right;
	return (a > b) - (a < b);
}

size_t
metricsgroup_end(struct metricsgroup *group)
{
	size_t kept = 0, at = 0;

	if (group->count > 0)
		qsort(group->cells, group->count, sizeof(struct metrics_cell *), compare);
	for (size_t i = 0; i < group->count; i++) {
		if (kept == 0 || group->cells[kept - 1] != group->cells[i])
			group->cells[kept++] = group->cells[i];
	}
	group->count = kept;
	/* Both arrays are sorted. */
	for (size_t i = 0; i < group->before_count; i++) {
		while (at < kept && group->cells[at] < group->before[i])
			at++;
		if (at == kept || group->cells[at] != group->before[i])
			metrics_remove(group->before[i]);
	}
	return group->count + group->lost;
}

void
metricsgroup_fini(struct metricsgroup *group)
{
	free(group->cells);
	free(group->before);
	*group = (struct metricsgroup){.cells = NULL};
}
