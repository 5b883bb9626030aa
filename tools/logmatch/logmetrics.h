/* logmetrics - what logmatch hands up about itself, in a page of metrics.
 * nic-health-monitor-metrics(5) has the families. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_LOGMETRICS_H
#define LOGMATCH_LOGMETRICS_H

#include "conditionmetrics.h"
#include "standing.h"

/* All NULL, which counts nothing, without a page. */
struct logmetrics {
	struct metrics *metrics;
	struct metrics_cell *records,
		*malformed; /* of the log: taken, and not what they should be */
	struct metrics_cell *matches[LOGPATTERN_N];
	struct metrics_cell *errors[LOGPATTERN_N][2]; /* by whether they are fatal */
	struct metrics_cell *gaps, *lost;
	struct condition_metrics conditions;
};

/* `metrics` may be NULL, and is kept. */
void logmetrics_init(
	struct logmetrics *own, struct metrics *metrics, const bool enabled[LOGPATTERN_N]);

/* So many records of the log are missing. */
void logmetrics_count_gap(const struct logmetrics *own, uint64_t count);

/* What was read is dealt with: so stands what was said. */
void logmetrics_update(struct logmetrics *own, const struct standing *standing);

/* Frees it. The page stays as it is. */
void logmetrics_fini(struct logmetrics *own);

#endif
