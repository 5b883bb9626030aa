/* metricsgroup - series of a page of metrics that are shown while something lasts. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICSGROUP_H
#define NHM_METRICSGROUP_H

#include "metrics.h"

/* Series of a page that are shown while something lasts. In each round the caller sets them anew. A
 * series that was not set is removed at the end of the round and never before, so whoever reads the
 * page at any moment finds all that goes on. All zeros: nothing is shown. */
struct metricsgroup {
	struct metrics_cell **cells, **before; /* of this round, and of the one before */
	size_t count, capacity, before_count, before_capacity;
	size_t lost; /* of this round: there was no room for them */
};

void metricsgroup_begin(struct metricsgroup *group);

/* The series has this value in this round. `cell` is that of a METRICS_PROCESS family, or NULL.
 * Without memory it is not shown, as in a page that is full. */
void metricsgroup_set(struct metricsgroup *group, struct metrics_cell *cell, uint64_t value);

/* The round is over. Returns how many there are; what was set twice counts once, what could not be
 * shown as often as it was set. */
size_t metricsgroup_end(struct metricsgroup *group);

/* Frees it. The page stays as it is. */
void metricsgroup_fini(struct metricsgroup *group);

#endif
