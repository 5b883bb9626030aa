/* metricsgroup - metrics series that are shown while a condition lasts. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICSGROUP_H
#define NHM_METRICSGROUP_H

#include "metrics.h"

/* Series that are shown while a condition lasts. The caller sets them again in each round. A series
 * that was not set is removed at the end of the round and not before, so that a reader of the page
 * always finds all lasting conditions. All zeros: no series. */
struct metricsgroup {
	struct metrics_cell **cells, **before; /* of this round, and of the previous one */
	size_t count, capacity, before_count, before_capacity;
	size_t lost; /* series of this round that there was no room for */
};

/* Begin a round. */
void metricsgroup_begin(struct metricsgroup *group);

/* Set a series in this round. `cell` is of a METRICS_PROCESS family, or NULL. If memory runs out,
 * the series is not shown, as if the page were full. */
void metricsgroup_set(struct metricsgroup *group, struct metrics_cell *cell, uint64_t value);

/* End the round. Return the number of series. A series that was set twice counts once; one that
 * could not be shown counts each time. */
size_t metricsgroup_end(struct metricsgroup *group);

/* Free the group. The page is not changed. */
void metricsgroup_fini(struct metricsgroup *group);

#endif
