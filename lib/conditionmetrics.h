/* conditionmetrics - what a stage's events have said and not yet taken back, as numbers: how much
 * there is, and a series for each condition.
 *
 * nic-health-monitor-metrics(5) has the families. Without a page nothing is done. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONDITIONMETRICS_H
#define NHM_CONDITIONMETRICS_H

#include "metricsgroup.h"

#include <stdbool.h>

/* One condition, as receivers tell it from others. Strings are borrowed. */
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
	struct metrics_cell *standing[2]; /* by whether they are fatal */
	struct metricsgroup shown[2];     /* the same */
};

/* `stage` is the writer's name. `metrics` is kept. */
void condition_metrics_init(
	struct condition_metrics *conditions, struct metrics *metrics, const char *stage);
void condition_metrics_fini(struct condition_metrics *conditions);

/* In each round the caller adds every condition that stands. The end of the round sets the two
 * numbers of them, and their vitals. */
void condition_metrics_begin(struct condition_metrics *conditions);
void condition_metrics_add(
	struct condition_metrics *conditions, const struct condition_labels *condition);
void condition_metrics_end(struct condition_metrics *conditions);

#endif
