/* evalmetrics - ctreval's metrics page. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "evalmetrics.h"

#include "array.h"
#include "diag.h"
#include "ingerometrics.h"
#include "num.h"
#include "portmetrics.h"

#include <string.h>

/* --- families --- */

static const struct metrics_family discovered = {"nic_health_monitor_devices_discovered",
	"Devices with at least one monitored port that the check covers.", METRICS_GAUGE,
	METRICS_PROCESS};
static const struct metrics_family monitored = {"nic_health_monitor_monitored_ports",
	"Monitored ports, by the role of their device.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family unreadable = {"nic_health_monitor_devices_unreadable",
	"Devices that could not be read in full.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family evaluated = {"nic_health_monitor_scans_evaluated_total",
	"Scans that were evaluated.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family incomplete = {"nic_health_monitor_scans_incomplete_total",
	"Scans that lost a record on the way.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family misses = {"nic_health_monitor_scan_deadline_misses_total",
	"Scans in which the device had not answered in time.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family cycles = {"nic_health_monitor_poll_cycle_duration_seconds",
	"Time to make and evaluate a scan in which states, or counters, were checked.",
	METRICS_HISTOGRAM, METRICS_LASTING};
static const struct metrics_family completions = {
	"nic_health_monitor_poll_cycle_last_completed_timestamp_seconds",
	"When the last complete scan in which states, or counters, were checked was evaluated, in "
	"seconds since 1970.",
	METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family scan_durations = {"nic_health_monitor_scan_duration_seconds",
	"Time to make a scan.", METRICS_HISTOGRAM, METRICS_LASTING};
static const struct metrics_family evaluation_durations = {
	"nic_health_monitor_evaluation_duration_seconds",
	"Time from the last record of a scan to its last event.", METRICS_HISTOGRAM,
	METRICS_LASTING};
static const struct metrics_family deferrals = {"nic_health_monitor_first_poll_deferred_total",
	"Scans whose evaluation was deferred until every device can be read.", METRICS_COUNTER,
	METRICS_LASTING};

static struct metrics_cell *
cell_of(struct metrics *metrics, const struct metrics_family *family, const char *key,
	const char *value)
{
	return metrics_cell(metrics, family, &(struct metrics_label){key, value}, 1);
}

/* A cycle is what the original calls a poll. */
static void
init_cycle(struct evalmetrics_cycle *cycle, struct metrics *metrics, const char *category)
{
	metrics_histogram_init(&cycle->duration, metrics, &cycles,
		&(struct metrics_label){"category", category}, 1);
	cycle->completed = cell_of(metrics, &completions, "category", category);
}

/* Set the time of the last completed poll; before the first one, the time of the start. */
static void
complete_cycles(struct evalmetrics *shown, uint64_t now_ns)
{
	double now_s = (double)now_ns / (double)NUM_NS_PER_S;
	metrics_set_real(shown->state_cycle.completed, now_s);
	metrics_set_real(shown->counter_cycle.completed, now_s);
}

void
evalmetrics_init(struct evalmetrics *shown, struct metrics *metrics,
	const struct eval_setting *setting, uint64_t now_ns)
{
	const bool *enabled = setting->enabled;

	*shown = (struct evalmetrics){
		.metrics = metrics,
		.setting = setting,
		.evaluated = metrics_cell(metrics, &evaluated, NULL, 0),
		.incomplete = metrics_cell(metrics, &incomplete, NULL, 0),
		.unreadable = metrics_cell(metrics, &unreadable, NULL, 0),
	};
	for (enum check check = 0; check < CHECK_N; check++) {
		if (!enabled[check])
			continue;
		shown->discovered[check] =
			cell_of(metrics, &discovered, "check", check_name(check));
		shown->deferred[check] = cell_of(metrics, &deferrals, "check", check_name(check));
	}
	for (enum tally_role role = 0; role < TALLY_ROLE_N; role++)
		shown->monitored[role] =
			cell_of(metrics, &monitored, "role", tally_role_name(role));
	metrics_histogram_init(&shown->scan_duration, metrics, &scan_durations, NULL, 0);
	metrics_histogram_init(
		&shown->evaluation_duration, metrics, &evaluation_durations, NULL, 0);
	bool states = false;
	for (enum layer layer = 0; layer < LAYER_N; layer++)
		states |= enabled[check_state(layer)];
	if (states)
		init_cycle(&shown->state_cycle, metrics, "state");
	if (setting->counter_detection)
		init_cycle(&shown->counter_cycle, metrics, "counter");
	complete_cycles(shown, now_ns);
	condition_metrics_init(&shown->conditions, metrics, "ctreval");
	shown->conditions.unknown = true;
}

void
evalmetrics_fini(struct evalmetrics *shown)
{
	condition_metrics_fini(&shown->conditions);
	metricsgroup_fini(&shown->growth);
	metricsgroup_fini(&shown->held);
	scanmetrics_fini(&shown->scanmetrics);
}

/* --- what is monitored --- */

/* A node without RDMA devices has no class directory. While devices are known, its absence proves
 * nothing about them: nobody sees them any more. */
static bool
has_no_rdma(const struct scan *scan, const struct state *state)
{
	return scan->whole && !scan->listed && strcmp(scan->end.error, "ENOENT") == 0 &&
	       state->devices.count == 0;
}

/* Return true if the scan tells which devices there are. */
static bool
tells_devices(const struct scan *scan, const struct state *state)
{
	return (scan->whole && scan->listed) || has_no_rdma(scan, state);
}

/* Return true once the first verdicts are sent, or at once if there is nothing to give a verdict
 * about. */
static bool
is_evaluated(const struct scan *scan, const struct state *state)
{
	return state->settled || has_no_rdma(scan, state);
}

static void
begin_new_series(struct evalmetrics *shown, const struct state *state, uint64_t port_set)
{
	uint64_t sum = portmetrics_sum_series(state, port_set);
	if (sum != shown->series_sum)
		portmetrics_begin_series(shown->metrics, shown->setting, state);
	shown->series_sum = sum;
}

static void
set_vitals(struct metrics *metrics, size_t devices, const struct tally_monitored *tally)
{
	metrics_set_vital(metrics, METRICS_DEVICES, devices);
	metrics_set_vital(metrics, METRICS_MONITORED_DEVICES, tally->devices);
	metrics_set_vital(metrics, METRICS_MONITORED_PORTS, tally->ports);
	metrics_set_vital(metrics, METRICS_COMPUTE, tally->roles[TALLY_COMPUTE]);
	metrics_set_vital(metrics, METRICS_STORAGE, tally->roles[TALLY_STORAGE]);
	metrics_set_vital(metrics, METRICS_FABRIC, tally->roles[TALLY_FABRIC]);
	metrics_set_vital(metrics, METRICS_NO_ROLE, tally->roles[TALLY_NO_ROLE]);
	metrics_set_vital(metrics, METRICS_PORT_SET, tally->port_set);
}

/* Set what is monitored, which is known with the first verdicts. A scan that lost a record or could
 * not list the devices does not change it. */
static void
set_monitored(struct evalmetrics *shown, const struct scan *scan, const struct state *state)
{
	bool tells = tells_devices(scan, state);
	if (scan->whole)
		metrics_set_vital(shown->metrics, METRICS_UNLISTED, !tells);
	if (!tells || !is_evaluated(scan, state))
		return;
	struct tally_monitored tally = tally_monitored(state, scan);
	for (enum layer layer = 0; layer < LAYER_N; layer++) {
		metrics_set(shown->discovered[check_state(layer)], tally.layers[layer]);
		metrics_set(shown->discovered[check_degradation(layer)], tally.layers[layer]);
	}
	metrics_set(shown->discovered[CHECK_IB_CHARDEV], tally.layers[LAYER_INFINIBAND]);
	for (enum tally_role role = 0; role < TALLY_ROLE_N; role++)
		metrics_set(shown->monitored[role], tally.roles[role]);
	begin_new_series(shown, state, tally.port_set);
	set_vitals(shown->metrics, scan->device_count, &tally);
}

/* --- open conditions --- */

static void
show_condition(const struct standing *condition, void *context)
{
	struct evalmetrics *shown = context;

	condition_metrics_add(&shown->conditions, &(struct condition_labels){
							  .device = condition->device,
							  .port = condition->port,
							  .check = check_name(condition->check),
							  .code = condition->code,
							  .word = condition->word,
							  .fatal = condition->fatal,
						  });
	portmetrics_show_growth(shown->metrics, &shown->growth, condition);
}

/* Open conditions are exact after each scan, also after one that show_scan() does not show. Until
 * the first verdicts nobody knows that there are none. */
static void
show_standing(struct evalmetrics *shown, const struct state *state, bool known)
{
	shown->conditions.unknown &= !known;
	condition_metrics_begin(&shown->conditions);
	metricsgroup_begin(&shown->growth);
	standing_each(state, shown->setting->counters, show_condition, shown);
	if (state->pollstall.reported)
		condition_metrics_add(&shown->conditions,
			&(struct condition_labels){
				.device = "", .check = CHECKS_POLL_STALL, .code = ""});
	metricsgroup_end(&shown->growth);
	condition_metrics_end(&shown->conditions);
}

void
evalmetrics_show_standing(struct evalmetrics *shown, const struct state *state)
{
	if (shown->metrics != NULL)
		show_standing(shown, state, state->settled);
}

/* --- durations and outcome of a scan --- */

static void
count_scan(struct evalmetrics *shown, const struct scan *scan)
{
	size_t unread = 0;
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scanrec_device *device = &scan->devices[i].record;
		struct metrics_cell *missed =
			cell_of(shown->metrics, &misses, "device", device->device);
		if (device->error != NULL && strcmp(device->error, "timeout") == 0)
			metrics_add(missed, 1);
		unread += device->error != NULL;
	}
	metrics_add(shown->evaluated, 1);
	if (scan->whole)
		metrics_set(shown->unreadable, unread);
	else
		metrics_add(shown->incomplete, 1);
}

/* A scan is two polls of the original: that of states and that of counters. */
static void
measure(struct evalmetrics *shown, const struct scan *scan, uint64_t evaluation_ns)
{
	double evaluation = (double)evaluation_ns / (double)NUM_NS_PER_S;

	metrics_observe(&shown->evaluation_duration, evaluation);
	if (scan->end_json == NULL || scan->end.duration_us < 0)
		return;
	double making = (double)scan->end.duration_us / 1e6;
	metrics_observe(&shown->scan_duration, making);
	metrics_observe(&shown->state_cycle.duration, making + evaluation);
	metrics_observe(&shown->counter_cycle.duration, making + evaluation);
}

/* Count scans while the first verdicts wait for a device. A scan that could not list the devices
 * defers nothing, and those within bootGrace (none has waited yet) wait for none. */
static void
count_deferral(struct evalmetrics *shown, const struct scan *scan, const struct state *state)
{
	if (state->settled || state->waited == 0 || (scan->whole && !scan->listed))
		return;
	for (enum check check = 0; check < CHECK_N; check++)
		metrics_add(shown->deferred[check], 1);
}

/* Show the scan's devices and ports. After an incomplete scan, as when a stage was restarted, keep
 * showing the previous one; show the next one even if it is incomplete, too. */
static void
show_scan(struct evalmetrics *shown, const struct scan *scan)
{
	bool torn_again = shown->torn;
	shown->torn = !scan->whole;
	if (!scan->whole && !torn_again)
		return;
	metrics_begin(shown->metrics);
	if ((!shown->ingero_names || ingerometrics_set(scan, shown->metrics) == 0) &&
		scanmetrics_set(&shown->scanmetrics, scan, shown->metrics) == 0)
		metrics_end(shown->metrics);
	else
		diag_warn("scan %lld: out of memory: not in the metrics",
			(long long)scan->begin.scan);
}

/* Count what a scan, or an extra scan, found about single ports. */
static void
count_findings(struct evalmetrics *shown, const struct evalmetrics_scan *done)
{
	portmetrics_count_events(shown->metrics, done->result);
	show_standing(shown, done->state, is_evaluated(done->scan, done->state));
	portmetrics_show_held(
		shown->metrics, &shown->held, done->state, done->scan->begin.boottime_ns);
	portmetrics_count_down(shown->metrics, done->scan, done->state);
}

void
evalmetrics_count_extra(struct evalmetrics *shown, const struct evalmetrics_scan *done)
{
	if (shown->metrics != NULL)
		count_findings(shown, done);
}

void
evalmetrics_count(struct evalmetrics *shown, const struct evalmetrics_scan *done)
{
	if (shown->metrics == NULL)
		return;
	count_scan(shown, done->scan);
	count_deferral(shown, done->scan, done->state);
	count_findings(shown, done);
	set_monitored(shown, done->scan, done->state);
	show_scan(shown, done->scan);
	measure(shown, done->scan, done->duration_ns);
	if (tells_devices(done->scan, done->state))
		complete_cycles(shown, done->now_ns);
	metrics_tick(shown->metrics);
}
