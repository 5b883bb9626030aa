/* scanmetrics - a scan as Prometheus' metrics: in the text format, for the textfile collector of
 * node_exporter, or in a page of metrics.
 *
 * What was not read has no sample: it is never 0 and never NaN. No sample has a time stamp, which
 * the textfile collector refuses. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SCANMETRICS_H
#define NHM_SCANMETRICS_H

#include "metrics.h"
#include "scan.h"

#include <stdio.h>

/* Prints the exposition of a scan, finished or not. 0, or -1 with errno when memory runs out or
 * `out` has an error. */
int scanmetrics_print(const struct scan *scan, FILE *out);

/* Sets the same families in a page, in the round that is going on: see metrics_begin(). 0, or -1
 * when memory runs out. */
int scanmetrics_set(const struct scan *scan, struct metrics *metrics);

#endif
