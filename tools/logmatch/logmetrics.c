/* logmetrics - the metrics of logmatch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "logmetrics.h"

#include "array.h"
#include "checks.h"
#include "eval.h"
#include "intake.h"
#include "pattern.h"

static const struct metrics_family records = {"nic_health_monitor_kernel_log_records_total",
	"Records of the kernel's log that were read.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family matches = {"nic_health_monitor_kernel_log_matches_total",
	"Lines of the kernel's log in which the pattern was found.", METRICS_COUNTER,
	METRICS_LASTING};
static const struct metrics_family gaps = {"nic_health_monitor_kernel_log_gaps_total",
	"How often records of the kernel's log were missing.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family lost = {"nic_health_monitor_kernel_log_records_lost_total",
	"Kernel log records that were overwritten before they were read, or that a driver "
	"suppressed.",
	METRICS_COUNTER, METRICS_LASTING};
/* Name and labels of the original syslog-health-monitor. */
static const struct metrics_family errors = {"syslog_health_monitor_nic_driver_errors",
	"Total number of NIC driver/firmware errors detected from kernel logs", METRICS_COUNTER,
	METRICS_LASTING};

static struct metrics_cell *
errors_of(struct metrics *metrics, enum logpattern pattern, bool fatal)
{
	const struct metrics_label labels[] = {
		{"event", logpattern_name(pattern)}, {"severity", fatal ? "fatal" : "non_fatal"}};
	return metrics_cell(metrics, &errors, labels, ARRAY_COUNT(labels));
}

/* If the pattern's severity is fixed, create no series for the other one. */
static void
init_errors(struct logmetrics *own, enum logpattern pattern)
{
	enum pattern_severity severity = pattern_of(pattern)->severity;
	if (severity == PATTERN_NONFATAL || severity == PATTERN_FATAL_ON_PF)
		own->errors[pattern][false] = errors_of(own->metrics, pattern, false);
	if (severity == PATTERN_FATAL || severity == PATTERN_FATAL_ON_PF)
		own->errors[pattern][true] = errors_of(own->metrics, pattern, true);
}

void
logmetrics_init(struct logmetrics *own, struct metrics *metrics, const bool enabled[LOGPATTERN_N])
{
	*own = (struct logmetrics){
		.metrics = metrics,
		.records = metrics_cell(metrics, &records, NULL, 0),
		.malformed = intake_malformed(metrics, "logmatch"),
		.gaps = metrics_cell(metrics, &gaps, NULL, 0),
		.lost = metrics_cell(metrics, &lost, NULL, 0),
	};
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		const struct metrics_label label = {"pattern", logpattern_name(pattern)};
		if (!enabled[pattern])
			continue;
		own->matches[pattern] = metrics_cell(metrics, &matches, &label, 1);
		init_errors(own, pattern);
	}
	condition_metrics_init(&own->conditions, metrics, "logmatch");
}

void
logmetrics_count_gap(const struct logmetrics *own, uint64_t count)
{
	metrics_add(own->gaps, 1);
	metrics_add(own->lost, count);
}

/* A receiver identifies a condition by its pattern and the NICs of its event. It also still
 * believes a condition that has ended but could not be reported as ended yet. And a condition stays
 * fatal until it ends, whatever later events say. */
static bool
is_fatal(const struct standing *standing, const struct standing_entry *entry)
{
	for (size_t i = 0; i < standing->count; i++) {
		const struct standing_entry *other = &standing->entries[i];
		if (other->fatal && other->pattern == entry->pattern &&
			standing_nics_is_same(&other->nics, &entry->nics))
			return true;
	}
	return false;
}

static void
show_standing(struct logmetrics *own, const struct standing *standing)
{
	condition_metrics_begin(&own->conditions);
	for (size_t i = 0; i < standing->count; i++) {
		const struct standing_entry *entry = &standing->entries[i];
		condition_metrics_add(&own->conditions,
			&(struct condition_labels){
				.device = entry->nics.count > 0 ? entry->nics.names[0] : "",
				.check = CHECKS_LOG,
				.code = logpattern_name(entry->pattern),
				.fatal = is_fatal(standing, entry),
			});
	}
	condition_metrics_end(&own->conditions);
}

void
logmetrics_update(struct logmetrics *own, const struct standing *standing)
{
	if (own->metrics == NULL)
		return;
	show_standing(own, standing);
	metrics_tick(own->metrics);
}

void
logmetrics_fini(struct logmetrics *own)
{
	condition_metrics_fini(&own->conditions);
}
