/* scanmetrics - converts a scan into Prometheus metrics: as text for node_exporter's textfile
 * collector, or in a metrics page.
 *
 * A value that was not read has no sample, never 0 or NaN. Samples have no time stamps, which the
 * textfile collector rejects. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SCANMETRICS_H
#define NHM_SCANMETRICS_H

#include "metrics.h"
#include "portcounters.h"

#include <stdio.h>

/* Print the metrics of a scan, finished or not. Return 0, or -1 with errno when out of memory or if
 * `out` has an error. */
int scanmetrics_print(const struct scan *scan, FILE *out);

/* What stays the same from scan to scan. All zeros: nothing yet. */
struct scanmetrics {
	struct counter_list known;
	struct port_counters counters;
};

/* Set the same families in a page, in the current round: see metrics_begin(). Return 0, or -1 when
 * out of memory. Free with scanmetrics_fini(). */
int scanmetrics_set(
	struct scanmetrics *scanmetrics, const struct scan *scan, struct metrics *metrics);
void scanmetrics_fini(struct scanmetrics *scanmetrics);

#endif
