/* patternmetrics - the metrics of correlate. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "patternmetrics.h"

#include "num.h"

#include <limits.h>
#include <string.h>

static const struct metrics_family events = {"nic_health_monitor_pattern_events_total",
	"Events that were searched for patterns over time.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family findings = {"nic_health_monitor_pattern_findings_total",
	"Patterns over time that were found.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family late = {"nic_health_monitor_pattern_late_events_total",
	"Events that came too late to be counted in patterns.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family given_up = {"nic_health_monitor_pattern_groups_given_up_total",
	"Groups of events that were discarded because there were too many.", METRICS_COUNTER,
	METRICS_LASTING};
static const struct metrics_family groups = {"nic_health_monitor_pattern_groups",
	"Groups of events that are counted together.", METRICS_GAUGE, METRICS_PROCESS};

static struct metrics_cell *
findings_of(struct metrics *metrics, const struct rule *rule)
{
	const struct metrics_label label = {"rule", rule->name};
	return metrics_cell(metrics, &findings, &label, 1);
}

void
patternmetrics_init(struct patternmetrics *own, struct metrics *metrics, const struct rules *rules)
{
	*own = (struct patternmetrics){
		.metrics = metrics,
		.events = metrics_cell(metrics, &events, NULL, 0),
		.late = metrics_cell(metrics, &late, NULL, 0),
		.given_up = metrics_cell(metrics, &given_up, NULL, 0),
		.groups = metrics_cell(metrics, &groups, NULL, 0),
	};
	/* Create every series now: if a series began with its first finding, rate() would miss that
	 * one. */
	for (size_t i = 0; i < rules->count; i++)
		findings_of(metrics, &rules->items[i]);
	condition_metrics_init(&own->conditions, metrics, "correlate");
}

void
patternmetrics_count_event(const struct patternmetrics *own)
{
	metrics_add(own->events, 1);
}

void
patternmetrics_count_finding(const struct patternmetrics *own, const struct rule *rule)
{
	metrics_add(findings_of(own->metrics, rule), 1);
}

/* --- standing conditions --- */

/* Return the value of an entity that all events of the group share; "" if there is none of that
 * type. */
static const char *
entity_of(const struct group *group, const char *type)
{
	for (size_t i = 0; i < group->rule->group_count; i++) {
		const struct match_key *key = &group->rule->group[i];
		if (key->kind == MATCH_ENTITY && strcmp(key->name, type) == 0)
			return match_value(group->event, key);
	}
	return "";
}

static void
show_group(struct patternmetrics *own, const struct engine *engine, const struct group *group)
{
	uint64_t port = 0;
	num_parse_u64(entity_of(group, "NICPort"), LLONG_MAX, &port);
	condition_metrics_add(&own->conditions, &(struct condition_labels){
							.device = entity_of(group, "NIC"),
							.port = (long long)port,
							.check = rules_check(group->rule),
							.code = group->code,
							.fatal = engine_is_fatal(engine, group),
						});
}

static void
show_standing(struct patternmetrics *own, const struct nodes *nodes)
{
	condition_metrics_begin(&own->conditions);
	for (size_t i = 0; i < nodes->count; i++) {
		const struct engine *engine = &nodes->items[i]->engine;
		for (size_t j = 0; j < engine->groups.count; j++) {
			if (engine->groups.items[j]->standing)
				show_group(own, engine, engine->groups.items[j]);
		}
	}
	condition_metrics_end(&own->conditions);
}

/* Add the growth of a total since the last call. */
static void
count_up_to(struct metrics_cell *cell, uint64_t total, uint64_t *seen)
{
	metrics_add(cell, total - *seen);
	*seen = total;
}

void
patternmetrics_show(struct patternmetrics *own, const struct nodes *nodes)
{
	if (own->metrics == NULL)
		return;
	show_standing(own, nodes);
	count_up_to(own->late, nodes->late, &own->late_seen);
	count_up_to(own->given_up, nodes->budget.refused, &own->given_up_seen);
	metrics_set(own->groups, nodes->budget.groups);
	metrics_tick(own->metrics);
}

void
patternmetrics_fini(struct patternmetrics *own)
{
	condition_metrics_fini(&own->conditions);
}
