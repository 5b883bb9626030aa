/* patternmetrics - what correlate hands up about itself, in a page of metrics. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_PATTERNMETRICS_H
#define CORRELATE_PATTERNMETRICS_H

#include "conditionmetrics.h"
#include "nodes.h"

struct patternmetrics {
	struct metrics *metrics; /* nullable */
	struct metrics_cell *events, *late, *given_up, *groups;
	uint64_t late_seen, given_up_seen; /* what has been counted of them */
	struct condition_metrics conditions;
};

void patternmetrics_init(
	struct patternmetrics *own, struct metrics *metrics, const struct rules *rules);
void patternmetrics_fini(struct patternmetrics *own);

/* An event was taken in. */
void patternmetrics_count_event(const struct patternmetrics *own);

/* What a rule has found, which is not over. */
void patternmetrics_count_finding(const struct patternmetrics *own, const struct rule *rule);

/* All that has come is evaluated: shows what stands. */
void patternmetrics_show(struct patternmetrics *own, const struct nodes *nodes);

#endif
