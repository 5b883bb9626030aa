/* patternmetrics - the metrics of correlate. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_PATTERNMETRICS_H
#define CORRELATE_PATTERNMETRICS_H

#include "conditionmetrics.h"
#include "nodes.h"

struct patternmetrics {
	struct metrics *metrics; /* NULL: no metrics page */
	struct metrics_cell *events, *late, *given_up, *groups;
	uint64_t late_seen, given_up_seen; /* totals already counted */
	struct condition_metrics conditions;
};

void patternmetrics_init(
	struct patternmetrics *own, struct metrics *metrics, const struct rules *rules);
void patternmetrics_fini(struct patternmetrics *own);

/* Count an accepted event. */
void patternmetrics_count_event(const struct patternmetrics *own);

/* Count a finding of a rule. */
void patternmetrics_count_finding(const struct patternmetrics *own, const struct rule *rule);

/* Publish the metrics and the standing conditions, after all events were evaluated. */
void patternmetrics_show(struct patternmetrics *own, const struct nodes *nodes);

#endif
