/* conditionmetrics - metrics of a stage's standing conditions: their number, and one series each.
 *
 * See nic-health-monitor-metrics(5) for the families. Without a metrics page the functions do
 * nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONDITIONMETRICS_H
#define NHM_CONDITIONMETRICS_H

#include "metricsgroup.h"

#include <stdbool.h>

/* One condition, with the labels that identify it for receivers. Strings are borrowed. */
struct condition_labels {
	const char *device; /* entity NIC; "": none */
	long long port;     /* entity NICPort; 0: none */
	const char *check;
	const char *code; /* errorCode; "": none */
	const char *word; /* second errorCode; nullable */
	bool fatal;
};

struct condition_metrics {
	struct metrics *metrics;
	struct metrics_cell *standing[2]; /* indexed by `fatal` */
	struct metricsgroup shown[2];     /* indexed by `fatal` */
	/* Nothing has been evaluated yet: do not set the totals, because 0 would mean that nothing
	 * is wrong. The caller sets this after condition_metrics_init(), and clears it with its
	 * first verdicts; the first condition clears it, too. */
	bool unknown;
};

/* Set up the metrics of `stage`. `metrics` is kept; it may be NULL. */
void condition_metrics_init(
	struct condition_metrics *conditions, struct metrics *metrics, const char *stage);
void condition_metrics_fini(struct condition_metrics *conditions);

/* In each round, begin, add every standing condition, and end. condition_metrics_end() removes the
 * other conditions and sets the two totals, unless they are unknown, and their vitals. */
void condition_metrics_begin(struct condition_metrics *conditions);
void condition_metrics_add(
	struct condition_metrics *conditions, const struct condition_labels *condition);
void condition_metrics_end(struct condition_metrics *conditions);

#endif
