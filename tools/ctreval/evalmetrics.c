/* evalmetrics - ctreval's metrics page. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "evalmetrics.h"

#include "array.h"
#include "check/counter.h"
#include "check/evaluation.h"
#include "diag.h"
#include "event.h"
#include "hash.h"
#include "ingerometrics.h"
#include "num.h"
#include "portfacts.h"
#include "scanmetrics.h"
#include "state/standing.h"

#include <stdio.h>
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
static const struct metrics_family state_errors = {"nic_health_monitor_state_check_errors_total",
	"Fatal events about states: a port that is down, a port or device that disappeared, a card "
	"with fewer active ports than its peers, a character device that is missing.",
	METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family breaches = {
	"nic_health_monitor_counter_threshold_breaches_total",
	"How often the counter's growth exceeded its threshold.", METRICS_COUNTER, METRICS_LASTING};
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
/* Labelled like conditions, so that the two can be joined. */
static const struct metrics_family breach_values = {"nic_health_monitor_breach_value",
	"Value of a counter whose breach is open.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family breach_growths = {"nic_health_monitor_breach_growth",
	"Growth of a counter since its breach was reported.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family link_downs = {"nic_health_monitor_flap_link_downs",
	"How often a flapping link has gone down since it last stayed up for an hour.",
	METRICS_GAUGE, METRICS_PROCESS};

static const struct metrics_family blips = {"nic_health_monitor_port_state_blips_total",
	"How often the port was healthy again before stateCheck.portStateHoldDown expired.",
	METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family held = {"nic_health_monitor_port_state_held_seconds",
	"How long the port has not been healthy while stateCheck.portStateHoldDown holds its event "
	"back.",
	METRICS_GAUGE, METRICS_PROCESS};

static const struct metrics_family down = {"nic_port_down_seconds_total",
	"Total time the port has been down.", METRICS_COUNTER, METRICS_LASTING};

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
}

void
evalmetrics_fini(struct evalmetrics *shown)
{
	condition_metrics_fini(&shown->conditions);
	metricsgroup_fini(&shown->growth);
	metricsgroup_fini(&shown->held);
}

/* --- events --- */

/* Return a series with these labels. `port` is "" for a device's own. */
static struct metrics_cell *
port_cell(struct metrics *metrics, const struct metrics_family *family, const char *check,
	const char *device, const char *port)
{
	const struct metrics_label labels[] = {
		{"check", check}, {"device", device}, {"port", port}};
	return metrics_cell(metrics, family, labels, ARRAY_COUNT(labels));
}

static struct metrics_cell *
state_errors_of(struct metrics *metrics, const char *check, const char *device, const char *port)
{
	return port_cell(metrics, &state_errors, check, device, port);
}

/* A state check's event whose code is a counter's name is about that counter. An event without a
 * code continues a report of an older version, which is about a state. */
static bool
is_about_state(const json_t *event)
{
	static const char *const codes[] = {CODE_PORT_STATE, CODE_PORT_GONE, CODE_NIC_GONE,
		CODE_CARD_PORTS, CODE_UVERBS, CODE_UMAD, CODE_ISSM};
	const char *code =
		json_string_value(json_array_get(json_object_get(event, "errorCode"), 0));

	for (size_t i = 0; i < ARRAY_COUNT(codes) && code != NULL; i++) {
		if (strcmp(code, codes[i]) == 0)
			return true;
	}
	return code == NULL;
}

/* The port label that the original uses for a device's own character device. */
#define PORT_OF_UVERBS "0"

static void
count_state_error(struct metrics *metrics, const json_t *event)
{
	const char *check = NULL;
	bool fatal = false;

	rec_get_bool(event, "isFatal", &fatal);
	rec_get_string(event, "checkName", &check);
	if (!fatal || check == NULL || !is_about_state(event))
		return;
	const char *port = event_entity(event, "NICPort");
	if (port == NULL && strcmp(check, check_name(CHECK_IB_CHARDEV)) == 0)
		port = PORT_OF_UVERBS;
	metrics_add(state_errors_of(metrics, check, event_entity(event, "NIC"), port), 1);
}

static void
count_blip(struct metrics *metrics, const json_t *event)
{
	const char *check = NULL;
	const char *code =
		json_string_value(json_array_get(json_object_get(event, "errorCode"), 0));
	bool healthy = false;

	rec_get_bool(event, "isHealthy", &healthy);
	rec_get_string(event, "checkName", &check);
	if (!healthy && check != NULL && code != NULL && strcmp(code, CODE_PORT_BLIP) == 0)
		metrics_add(port_cell(metrics, &blips, check, event_entity(event, "NIC"),
				    event_entity(event, "NICPort")),
			1);
}

static struct metrics_cell *
breaches_of(struct metrics *metrics, const char *counter, const char *device, const char *port,
	bool fatal)
{
	const struct metrics_label labels[] = {
		{"counter", counter},
		{"device", device},
		{"port", port},
		{"is_fatal", fatal ? "true" : "false"},
	};
	return metrics_cell(metrics, &breaches, labels, ARRAY_COUNT(labels));
}

static void
count_breach(struct metrics *metrics, const json_t *event)
{
	const json_t *codes = json_object_get(event, "errorCode");
	bool fatal = false;

	rec_get_bool(event, "isFatal", &fatal);
	metrics_add(breaches_of(metrics, json_string_value(json_array_get(codes, 0)),
			    event_entity(event, "NIC"), event_entity(event, "NICPort"), fatal),
		1);
}

static void
count_events(struct metrics *metrics, const struct eval_result *result)
{
	size_t i;
	const json_t *event;
	json_array_foreach (result->events, i, event) {
		count_state_error(metrics, event);
		count_blip(metrics, event);
	}
	json_array_foreach (result->breaches, i, event)
		count_breach(metrics, event);
}

/* --- series before their first event ---
 *
 * increase() does not count the event with which a series begins, so create each series earlier. */

/* Return true if this port can have breaches of the counter: it is watched, and the port has it. */
static bool
can_breach(const struct eval_setting *setting, const struct port_entry *port, size_t counter)
{
	const struct counter_def *def = &setting->counters->items[counter];
	return port->counters[counter].seen && counter_is_for(def, port->link_layer) &&
	       watched_counter(setting, def, port->layer);
}

static struct metrics_cell *
down_of(struct metrics *metrics, const struct port_entry *port)
{
	char number[24];
	snprintf(number, sizeof number, "%lld", port->number);
	const struct metrics_label labels[] = {{"device", port->device}, {"port", number}};
	return metrics_cell(metrics, &down, labels, ARRAY_COUNT(labels));
}

static void
begin_port(const struct evalmetrics *shown, const struct port_entry *port)
{
	const struct eval_setting *setting = shown->setting;
	enum check check = check_state(port->layer);
	char number[24];

	snprintf(number, sizeof number, "%lld", port->number);
	if (setting->enabled[check])
		state_errors_of(shown->metrics, check_name(check), port->device, number);
	if (setting->enabled[CHECK_IB_CHARDEV] && chardev_is_infiniband(port->link_layer)) {
		const char *chardev = check_name(CHECK_IB_CHARDEV);
		state_errors_of(shown->metrics, chardev, port->device, PORT_OF_UVERBS);
		state_errors_of(shown->metrics, chardev, port->device, number);
	}
	down_of(shown->metrics, port);
	if (setting->enabled[check] && setting->hold_down_ns > 0)
		port_cell(shown->metrics, &blips, check_name(check), port->device, number);
	for (size_t i = 0; i < port->counter_count; i++) {
		const struct counter_def *def = &setting->counters->items[i];
		if (can_breach(setting, port, i))
			breaches_of(shown->metrics, def->name, port->device, number, def->fatal);
	}
}

static void
begin_entity(const struct evalmetrics *shown, const char *name, enum layer layer)
{
	enum check check = check_state(layer);
	if (shown->setting->enabled[check])
		state_errors_of(shown->metrics, check_name(check), name, "");
}

static void
begin_series(const struct evalmetrics *shown, const struct state *state)
{
	table_foreach (&state->devices, const struct device_entry, device)
		begin_entity(shown, device->node.key, device->layer);
	table_foreach (&state->cards, const struct card_entry, card)
		begin_entity(shown, card->card, card->layer);
	table_foreach (&state->ports, const struct port_entry, port)
		begin_port(shown, port);
}

/* Return a sum that changes with the series that begin_series() creates: the ports, the cards, and
 * the counters that were ever read. */
static uint64_t
sum_series(const struct state *state, uint64_t port_set)
{
	uint64_t sum = hash_bytes(port_set, &state->cards.count, sizeof state->cards.count);
	table_foreach (&state->ports, const struct port_entry, port) {
		for (size_t i = 0; i < port->counter_count; i++)
			sum += port->counters[i].seen;
	}
	return sum;
}

/* --- the scan --- */

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

/* Set what is monitored. It is known once the first verdicts are sent, or at once if there is
 * nothing to give a verdict about; a scan that lost a record or could not list the devices does not
 * change it. */
static void
set_monitored(struct evalmetrics *shown, const struct scan *scan, const struct state *state)
{
	struct metrics *metrics = shown->metrics;
	bool tells = tells_devices(scan, state);
	if (scan->whole)
		metrics_set_vital(metrics, METRICS_UNLISTED, !tells);
	if (!tells || (!state->settled && !has_no_rdma(scan, state)))
		return;
	struct tally_monitored tally = tally_monitored(state, scan);
	for (enum layer layer = 0; layer < LAYER_N; layer++) {
		metrics_set(shown->discovered[check_state(layer)], tally.layers[layer]);
		metrics_set(shown->discovered[check_degradation(layer)], tally.layers[layer]);
	}
	metrics_set(shown->discovered[CHECK_IB_CHARDEV], tally.layers[LAYER_INFINIBAND]);
	for (enum tally_role role = 0; role < TALLY_ROLE_N; role++)
		metrics_set(shown->monitored[role], tally.roles[role]);
	uint64_t sum = sum_series(state, tally.port_set);
	if (sum != shown->begun)
		begin_series(shown, state);
	shown->begun = sum;

	metrics_set_vital(metrics, METRICS_DEVICES, scan->device_count);
	metrics_set_vital(metrics, METRICS_MONITORED_DEVICES, tally.devices);
	metrics_set_vital(metrics, METRICS_MONITORED_PORTS, tally.ports);
	metrics_set_vital(metrics, METRICS_COMPUTE, tally.roles[TALLY_COMPUTE]);
	metrics_set_vital(metrics, METRICS_STORAGE, tally.roles[TALLY_STORAGE]);
	metrics_set_vital(metrics, METRICS_FABRIC, tally.roles[TALLY_FABRIC]);
	metrics_set_vital(metrics, METRICS_NO_ROLE, tally.roles[TALLY_NO_ROLE]);
	metrics_set_vital(metrics, METRICS_PORT_SET, tally.port_set);
}

/* --- open conditions --- */

static void
show_growth(struct evalmetrics *shown, const struct standing *condition, const char *code,
	const struct metrics_family *family, uint64_t value)
{
	char port[24];

	snprintf(port, sizeof port, "%lld", condition->port);
	const struct metrics_label labels[] = {
		{"device", condition->device},
		{"port", port},
		{"check", check_name(condition->check)},
		{"code", code},
	};
	metricsgroup_set(&shown->growth,
		metrics_cell(shown->metrics, family, labels, ARRAY_COUNT(labels)), value);
}

static void
show_condition(const struct standing *condition, void *context)
{
	struct evalmetrics *shown = context;
	const struct counter_memory *memory = condition->memory;
	uint64_t value;

	condition_metrics_add(&shown->conditions, &(struct condition_labels){
							  .device = condition->device,
							  .port = condition->port,
							  .check = check_name(condition->check),
							  .code = condition->code,
							  .word = condition->word,
							  .fatal = condition->fatal,
						  });
	if (condition->flap != NULL)
		show_growth(shown, condition, condition->code, &link_downs, condition->flap->count);
	if (memory == NULL || !counter_last(memory, &value))
		return;
	show_growth(shown, condition, condition->counter, &breach_values, value);
	if (memory->breach.has_value && value >= memory->breach.began_at)
		show_growth(shown, condition, condition->counter, &breach_growths,
			value - memory->breach.began_at);
}

/* `now_ns`: start of the scan. */
static void
show_held(struct evalmetrics *shown, const struct state *state, uint64_t now_ns)
{
	char number[24];

	metricsgroup_begin(&shown->held);
	table_foreach (&state->ports, const struct port_entry, port) {
		const uint64_t since_ns = port->hold.since_ns;
		if (!port->hold.held)
			continue;
		snprintf(number, sizeof number, "%lld", port->number);
		metricsgroup_set(&shown->held,
			port_cell(shown->metrics, &held, check_name(check_state(port->layer)),
				port->device, number),
			now_ns > since_ns ? (now_ns - since_ns) / NUM_NS_PER_S : 0);
	}
	metricsgroup_end(&shown->held);
}

/* A port that was down at its last read counts as down until now. A port whose state is unreadable
 * is not known to be down. */
static void
count_down(struct evalmetrics *shown, const struct scan *scan, const struct state *state)
{
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scanrec_port *record = &scan->ports[i].record;
		struct port_entry *port = state_find_port(state, record->device, record->port);
		if (port == NULL || !watched_port(scan, &scan->ports[i]))
			continue;
		if (port->down_ns != 0 && record->boottime_ns > port->down_ns)
			metrics_add_real(down_of(shown->metrics, port),
				(double)(record->boottime_ns - port->down_ns) /
					(double)NUM_NS_PER_S);
		bool is_down = record->state != NULL && !portfacts_is_up(record);
		port->down_ns = is_down ? record->boottime_ns : 0;
	}
}

/* Open conditions are exact after each scan, also after one that show_scan() does not show. */
static void
show_standing(struct evalmetrics *shown, const struct state *state)
{
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
		show_standing(shown, state);
}

/* --- the scan itself --- */

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

/* Count scans while the first verdicts are deferred. A scan that could not list the devices defers
 * nothing. */
static void
count_deferral(struct evalmetrics *shown, const struct scan *scan, const struct state *state)
{
	if (state->settled || (scan->whole && !scan->listed))
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
		scanmetrics_set(scan, shown->metrics) == 0)
		metrics_end(shown->metrics);
	else
		diag_warn("scan %lld: out of memory: not in the metrics",
			(long long)scan->begin.scan);
}

void
evalmetrics_count(struct evalmetrics *shown, const struct evalmetrics_scan *done)
{
	if (shown->metrics == NULL)
		return;
	count_scan(shown, done->scan);
	count_deferral(shown, done->scan, done->state);
	count_events(shown->metrics, done->result);
	show_standing(shown, done->state);
	show_held(shown, done->state, done->scan->begin.boottime_ns);
	count_down(shown, done->scan, done->state);
	set_monitored(shown, done->scan, done->state);
	show_scan(shown, done->scan);
	measure(shown, done->scan, done->duration_ns);
	if (tells_devices(done->scan, done->state))
		complete_cycles(shown, done->now_ns);
	metrics_tick(shown->metrics);
}
