/* evalmetrics - what ctreval hands up about itself and what it sees, in a page of metrics: it looks
 * on, and decides nothing.
 *
 * Without a page it does nothing. nic-health-monitor-metrics(5) has the families. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_EVALMETRICS_H
#define CTREVAL_EVALMETRICS_H

#include "check/eval.h"
#include "conditionmetrics.h"
#include "metrics.h"
#include "tally.h"

/* Of the scans in which states, or counters, are judged. */
struct evalmetrics_cycle {
	struct metrics_histogram duration;
	struct metrics_cell *completed;
};

struct evalmetrics {
	struct metrics *metrics; /* NULL: nobody watches */
	const struct eval_setting *setting;
	bool ingero_names; /* scans are shown under those, too; the caller's to set */
	bool torn;         /* the last scan had lost a record */
	uint64_t begun;    /* what has been given its series */
	struct metrics_cell *discovered[CHECK_N], *deferred[CHECK_N], *monitored[TALLY_ROLE_N];
	struct metrics_cell *evaluated, *incomplete, *unreadable;
	struct metrics_histogram scan_duration, evaluation_duration;
	struct evalmetrics_cycle state_cycle, counter_cycle;
	struct condition_metrics conditions;
	struct metricsgroup growth; /* of what stands */
	struct metricsgroup held;   /* ports that are held back */
};

/* `metrics` may be NULL. Of the checks only those that are enabled look at anything. Both are kept.
 * `now_ns`: nanoseconds since 1970. */
void evalmetrics_init(struct evalmetrics *shown, struct metrics *metrics,
	const struct eval_setting *setting, uint64_t now_ns);

/* Shows what stands, without a scan: when the state of the last run has been read, and when a scan
 * does not get on. */
void evalmetrics_show_standing(struct evalmetrics *shown, const struct state *state);

/* What a scan has come to. */
struct evalmetrics_scan {
	const struct scan *scan;
	const struct state *state; /* as the scan has left it */
	const struct eval_result *result;
	uint64_t duration_ns; /* from the scan's last record to its last event */
	uint64_t now_ns;      /* when that was, since 1970 */
};

/* Counts a scan whose state is stored, if need be, and whose events are written. */
void evalmetrics_count(struct evalmetrics *shown, const struct evalmetrics_scan *done);

/* Frees it. The page stays as it is. */
void evalmetrics_fini(struct evalmetrics *shown);

#endif
