/* logmetrics - the metrics of logmatch. nic-health-monitor-metrics(5) lists the families. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_LOGMETRICS_H
#define LOGMATCH_LOGMETRICS_H

#include "conditionmetrics.h"
#include "standing.h"

/* All NULL if there is no metrics page; then nothing is counted. */
struct logmetrics {
	struct metrics *metrics;
	struct metrics_cell *records, *malformed; /* records read, and malformed lines */
	struct metrics_cell *matches[LOGPATTERN_N];
	struct metrics_cell *errors[LOGPATTERN_N][2]; /* by fatal */
	struct metrics_cell *gaps, *lost;
	struct condition_metrics conditions;
};

/* `metrics` may be NULL. It must outlive `own`. */
void logmetrics_init(
	struct logmetrics *own, struct metrics *metrics, const bool enabled[LOGPATTERN_N]);

/* Count a gap of `count` missing records. */
void logmetrics_count_gap(const struct logmetrics *own, uint64_t count);

/* Publish the metrics after a batch, with the conditions that stand. */
void logmetrics_update(struct logmetrics *own, const struct standing *standing);

/* Frees the memory. The metrics page stays as it is. */
void logmetrics_fini(struct logmetrics *own);

#endif
