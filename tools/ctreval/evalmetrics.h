/* evalmetrics - ctreval's metrics page. Decides nothing; of the state it changes only
 * port_entry.down_ns.
 *
 * Without a page all functions do nothing. nic-health-monitor-metrics(5) describes the families. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_EVALMETRICS_H
#define CTREVAL_EVALMETRICS_H

#include "check/eval.h"
#include "conditionmetrics.h"
#include "metrics.h"
#include "scanmetrics.h"
#include "tally.h"

/* Metrics of the scans that evaluate states, or counters. */
struct evalmetrics_cycle {
	struct metrics_histogram duration;
	struct metrics_cell *completed;
};

struct evalmetrics {
	struct metrics *metrics; /* NULL: no page */
	const struct eval_setting *setting;
	bool ingero_names;   /* also show scans under Ingero's names; set by the caller */
	bool torn;           /* the last scan was incomplete */
	uint64_t series_sum; /* portmetrics_sum_series() of the series that were created */
	struct metrics_cell *discovered[CHECK_N], *deferred[CHECK_N], *monitored[TALLY_ROLE_N];
	struct metrics_cell *evaluated, *incomplete, *unreadable;
	struct metrics_histogram scan_duration, evaluation_duration;
	struct evalmetrics_cycle state_cycle, counter_cycle;
	struct condition_metrics conditions;
	struct metricsgroup growth; /* of open conditions */
	struct metricsgroup held;   /* of ports that are held back */
	struct scanmetrics scanmetrics;
};

/* `metrics` may be NULL. Keeps `metrics` and `setting`. `now_ns`: since 1970. */
void evalmetrics_init(struct evalmetrics *shown, struct metrics *metrics,
	const struct eval_setting *setting, uint64_t now_ns);

/* Show the open conditions without a scan: after the state file was read, and when a scan
 * stalls. */
void evalmetrics_show_standing(struct evalmetrics *shown, const struct state *state);

/* The outcome of a scan. */
struct evalmetrics_scan {
	const struct scan *scan;
	struct state *state; /* after the scan */
	const struct eval_result *result;
	uint64_t duration_ns; /* from the scan's last record to its last event */
	uint64_t now_ns;      /* time of the last event, since 1970 */
};

/* Count a scan. Call it after the state is stored, if it changed, and the events are written. */
void evalmetrics_count(struct evalmetrics *shown, const struct evalmetrics_scan *done);

/* The same for an extra scan, which shows the states of some ports: it counts its events and the
 * downtime of its ports, and is none of the scans that are counted. */
void evalmetrics_count_extra(struct evalmetrics *shown, const struct evalmetrics_scan *done);

/* Free the memory of `shown`. The page stays. */
void evalmetrics_fini(struct evalmetrics *shown);

#endif
