/* patternmetrics - what correlate hands up about itself, in a page of metrics. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "patternmetrics.h"

static const struct metrics_family events = {"nic_health_monitor_pattern_events_total",
	"Events in which patterns over time were looked for.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family findings = {"nic_health_monitor_pattern_findings_total",
	"Patterns over time that were found.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family late = {"nic_health_monitor_pattern_late_events_total",
	"Events that came too late to be counted in patterns.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family given_up = {"nic_health_monitor_pattern_groups_given_up_total",
	"Groups of events that were given up because there were too many.", METRICS_COUNTER,
	METRICS_LASTING};
static const struct metrics_family groups = {"nic_health_monitor_pattern_groups",
	"Groups of events that are counted together.", METRICS_GAUGE, METRICS_PROCESS};

void
patternmetrics_init(struct patternmetrics *own, struct metrics *metrics)
{
	*own = (struct patternmetrics){
		.metrics = metrics,
		.events = metrics_cell(metrics, &events, NULL, 0),
		.late = metrics_cell(metrics, &late, NULL, 0),
		.given_up = metrics_cell(metrics, &given_up, NULL, 0),
		.groups = metrics_cell(metrics, &groups, NULL, 0),
	};
}

void
patternmetrics_count_event(const struct patternmetrics *own)
{
	metrics_add(own->events, 1);
}

void
patternmetrics_count_finding(const struct patternmetrics *own, const struct rule *rule)
{
	const struct metrics_label label = {"rule", rule->name};
	metrics_add(metrics_cell(own->metrics, &findings, &label, 1), 1);
}

/* Adds what has come to a total since. */
static void
count_up_to(struct metrics_cell *cell, uint64_t total, uint64_t *seen)
{
	metrics_add(cell, total - *seen);
	*seen = total;
}

void
patternmetrics_show(struct patternmetrics *own, const struct nodes *nodes)
{
	count_up_to(own->late, nodes->late, &own->late_seen);
	count_up_to(own->given_up, nodes->budget.refused, &own->given_up_seen);
	metrics_set(own->groups, nodes->budget.groups);
	metrics_tick(own->metrics);
}
