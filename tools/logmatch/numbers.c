/* numbers - what logmatch hands up about itself, in a page of numbers. */
#include "numbers.h"

#include "intake.h"

static const struct metrics_family records = {"nic_health_monitor_kernel_log_records_total",
	"Records of the kernel's log that were read.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family matches = {"nic_health_monitor_kernel_log_matches_total",
	"Lines of the kernel's log in which the pattern was found, repetitions too.",
	METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family gaps = {"nic_health_monitor_kernel_log_gaps_total",
	"How often records of the kernel's log were missing.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family lost = {"nic_health_monitor_kernel_log_records_lost_total",
	"Records of the kernel's log that were overwritten before they could be read, or that a "
	"driver suppressed.",
	METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family outbox = {"nic_health_monitor_outbox_events",
	"Events that were decided and are not known to be stored by their receiver.", METRICS_GAUGE,
	METRICS_PROCESS};

void
numbers_init(struct numbers *numbers, struct metrics *metrics, const bool enabled[LOGPATTERN_N])
{
	*numbers = (struct numbers){
		.metrics = metrics,
		.records = metrics_cell(metrics, &records, NULL, 0),
		.malformed = intake_malformed(metrics, "logmatch"),
		.gaps = metrics_cell(metrics, &gaps, NULL, 0),
		.lost = metrics_cell(metrics, &lost, NULL, 0),
		.outbox = metrics_cell(
			metrics, &outbox, &(struct metrics_label){"stage", "logmatch"}, 1),
	};
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		const struct metrics_label label = {"pattern", logpattern_name(pattern)};
		if (enabled[pattern])
			numbers->matches[pattern] = metrics_cell(metrics, &matches, &label, 1);
	}
}

void
numbers_count_gap(const struct numbers *numbers, uint64_t count)
{
	metrics_add(numbers->gaps, 1);
	metrics_add(numbers->lost, count);
}

void
numbers_turn(const struct numbers *numbers, size_t outbox_events)
{
	metrics_set(numbers->outbox, outbox_events);
	metrics_tick(numbers->metrics);
}
