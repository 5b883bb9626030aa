/* numbers - what ctreval hands up about itself and what it sees, in a page of numbers. */
#include "numbers.h"

#include "diag.h"
#include "event.h"
#include "num.h"
#include "scanmetrics.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- families --- */

static const struct metrics_family discovered = {"nic_health_monitor_devices_discovered",
	"Devices with at least one monitored port that the check looks at.", METRICS_GAUGE,
	METRICS_PROCESS};
static const struct metrics_family monitored = {"nic_health_monitor_monitored_ports",
	"Monitored ports, by what their device is for.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family unreadable = {"nic_health_monitor_devices_unreadable",
	"Devices that could not be read in full.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family standing = {"nic_health_monitor_standing_conditions",
	"Conditions that were reported and have not ended.", METRICS_GAUGE, METRICS_PROCESS};
static const struct metrics_family outbox = {"nic_health_monitor_outbox_events",
	"Events that were decided and are not known to be stored by their receiver.", METRICS_GAUGE,
	METRICS_PROCESS};
static const struct metrics_family evaluated = {"nic_health_monitor_scans_evaluated_total",
	"Scans that were evaluated.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family incomplete = {"nic_health_monitor_scans_incomplete_total",
	"Scans of which a record was lost on the way.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family misses = {"nic_health_monitor_scan_deadline_misses_total",
	"Scans in which the device had not answered in time.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family state_errors = {"nic_health_monitor_state_check_errors_total",
	"Fatal events about states: a port that is down, a port or device that disappeared, a card "
	"with fewer active ports than its peers.",
	METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family breaches = {
	"nic_health_monitor_counter_threshold_breaches_total",
	"How often the counter's growth exceeded its threshold.", METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family durations = {"nic_health_monitor_poll_cycle_duration_seconds",
	"How long a scan took to be made, and from its last record to its last event.",
	METRICS_HISTOGRAM, METRICS_LASTING};

static struct metrics_cell *
cell_of(struct metrics *metrics, const struct metrics_family *family, const char *key,
	const char *value)
{
	return metrics_cell(metrics, family, &(struct metrics_label){key, value}, 1);
}

void
numbers_init(struct numbers *numbers, struct metrics *metrics, const bool enabled[CHECK_N])
{
	*numbers = (struct numbers){
		.metrics = metrics,
		.enabled = enabled,
		.standing = {cell_of(metrics, &standing, "is_fatal", "false"),
			cell_of(metrics, &standing, "is_fatal", "true")},
		.evaluated = metrics_cell(metrics, &evaluated, NULL, 0),
		.incomplete = metrics_cell(metrics, &incomplete, NULL, 0),
		.unreadable = metrics_cell(metrics, &unreadable, NULL, 0),
		.outbox = cell_of(metrics, &outbox, "stage", "ctreval"),
	};
	for (enum check check = 0; check < CHECK_N; check++) {
		if (enabled[check])
			numbers->discovered[check] =
				cell_of(metrics, &discovered, "check", check_name(check));
	}
	for (enum tally_role role = 0; role < TALLY_ROLE_N; role++)
		numbers->monitored[role] =
			cell_of(metrics, &monitored, "role", tally_role_name(role));
	metrics_histogram_init(&numbers->scan_duration, metrics, &durations,
		&(struct metrics_label){"category", "scan"}, 1);
	metrics_histogram_init(&numbers->evaluation_duration, metrics, &durations,
		&(struct metrics_label){"category", "evaluation"}, 1);
}

/* --- events --- */

/* `port` "": of the device. */
static struct metrics_cell *
state_errors_of(struct metrics *metrics, const char *check, const char *device, const char *port)
{
	const struct metrics_label labels[] = {
		{"check", check}, {"device", device}, {"port", port}};
	return metrics_cell(metrics, &state_errors, labels, COUNT(labels));
}

/* Counters have error codes; what a state check says without one is about a state. */
static void
count_state_error(struct metrics *metrics, const json_t *event)
{
	const char *check = NULL;
	bool fatal = false;

	rec_get_bool(event, "isFatal", &fatal);
	rec_get_string(event, "checkName", &check);
	if (!fatal || check == NULL || json_array_size(json_object_get(event, "errorCode")) > 0)
		return;
	metrics_add(state_errors_of(metrics, check, event_entity(event, "NIC"),
			    event_entity(event, "NICPort")),
		1);
}

static void
count_breach(struct metrics *metrics, const json_t *event)
{
	bool fatal = false;

	rec_get_bool(event, "isFatal", &fatal);
	const struct metrics_label labels[] = {
		{"counter",
			json_string_value(json_array_get(json_object_get(event, "errorCode"), 0))},
		{"device", event_entity(event, "NIC")},
		{"port", event_entity(event, "NICPort")},
		{"is_fatal", fatal ? "true" : "false"},
	};
	metrics_add(metrics_cell(metrics, &breaches, labels, COUNT(labels)), 1);
}

static void
count_events(struct metrics *metrics, const struct eval_result *result)
{
	size_t i;
	const json_t *event;
	json_array_foreach (result->events, i, event)
		count_state_error(metrics, event);
	json_array_foreach (result->breaches, i, event)
		count_breach(metrics, event);
}

/* --- the scan --- */

/* A series that begins with its first event hides that from whoever asks by how much it has grown: it is there before. */
static void
begin_state_errors(const struct numbers *numbers, const struct state *state)
{
	for (const struct table_node *node = table_next(&state->devices, NULL); node != NULL;
		node = table_next(&state->devices, node)) {
		const struct device_entry *device = (const struct device_entry *)node;
		enum check check = check_state(device->ethernet);
		if (numbers->enabled[check])
			state_errors_of(numbers->metrics, check_name(check), device->node.key, "");
	}
	for (const struct table_node *node = table_next(&state->ports, NULL); node != NULL;
		node = table_next(&state->ports, node)) {
		const struct port_entry *port = (const struct port_entry *)node;
		enum check check = check_state(port->ethernet);
		char number[24];
		snprintf(number, sizeof number, "%lld", port->number);
		if (numbers->enabled[check])
			state_errors_of(numbers->metrics, check_name(check), port->device, number);
	}
}

/* What is monitored is known when the first scan's verdicts have been given. A scan that lost a record, or could not list the devices, says nothing new about it. */
static void
set_monitored(struct numbers *numbers, const struct scan *scan, const struct state *state)
{
	struct metrics *metrics = numbers->metrics;
	if (scan->whole)
		metrics_set_vital(metrics, METRICS_UNLISTED, !scan->listed);
	if (!scan->whole || !scan->listed || !state->settled)
		return;
	struct tally_monitored tally = tally_monitored(state, scan);
	metrics_set(numbers->discovered[CHECK_IB_STATE], tally.infiniband);
	metrics_set(numbers->discovered[CHECK_IB_DEGRADATION], tally.infiniband);
	metrics_set(numbers->discovered[CHECK_ETH_STATE], tally.ethernet);
	metrics_set(numbers->discovered[CHECK_ETH_DEGRADATION], tally.ethernet);
	for (enum tally_role role = 0; role < TALLY_ROLE_N; role++)
		metrics_set(numbers->monitored[role], tally.roles[role]);
	if (tally.port_set != numbers->port_set)
		begin_state_errors(numbers, state);
	numbers->port_set = tally.port_set;

	metrics_set_vital(metrics, METRICS_DEVICES, scan->device_count);
	metrics_set_vital(metrics, METRICS_MONITORED_DEVICES, tally.devices);
	metrics_set_vital(metrics, METRICS_MONITORED_PORTS, tally.ports);
	metrics_set_vital(metrics, METRICS_COMPUTE, tally.roles[TALLY_COMPUTE]);
	metrics_set_vital(metrics, METRICS_STORAGE, tally.roles[TALLY_STORAGE]);
	metrics_set_vital(metrics, METRICS_NO_ROLE, tally.roles[TALLY_NO_ROLE]);
	metrics_set_vital(metrics, METRICS_PORT_SET, tally.port_set);
}

static void
set_standing(struct numbers *numbers, const struct state *state)
{
	struct tally_standing tally = tally_standing(state);
	metrics_set(numbers->standing[false], tally.degraded);
	metrics_set(numbers->standing[true], tally.fatal);
	metrics_set_vital(numbers->metrics, METRICS_STANDING_DEGRADED, tally.degraded);
	metrics_set_vital(numbers->metrics, METRICS_STANDING_FATAL, tally.fatal);
}

/* How the scan itself went. */
static void
count_scan(struct numbers *numbers, const struct scan *scan)
{
	size_t unread = 0;
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scanrec_device *device = &scan->devices[i].record;
		struct metrics_cell *missed =
			cell_of(numbers->metrics, &misses, "device", device->device);
		if (device->error != NULL && strcmp(device->error, "timeout") == 0)
			metrics_add(missed, 1);
		unread += device->error != NULL;
	}
	metrics_add(numbers->evaluated, 1);
	if (scan->whole)
		metrics_set(numbers->unreadable, unread);
	else
		metrics_add(numbers->incomplete, 1);
	if (scan->end_json != NULL && scan->end.duration_us >= 0)
		metrics_observe(&numbers->scan_duration, (double)scan->end.duration_us / 1e6);
}

/* The devices and ports themselves. Of a scan that has lost a record, as when a stage was started anew, nobody can tell what is gone: what was seen before it is shown
 * for one scan more. When the next one has too, it is shown as it is. */
static void
show_scan(struct numbers *numbers, const struct scan *scan)
{
	bool torn_again = numbers->torn;
	numbers->torn = !scan->whole;
	if (!scan->whole && !torn_again)
		return;
	metrics_begin(numbers->metrics);
	if (scanmetrics_set(scan, numbers->metrics) == 0)
		metrics_end(numbers->metrics);
	else
		diag_warn("scan %lld: out of memory: not shown", (long long)scan->begin.scan);
}

void
numbers_take(struct numbers *numbers, const struct numbers_scan *taken)
{
	if (numbers->metrics == NULL)
		return;
	count_scan(numbers, taken->scan);
	count_events(numbers->metrics, taken->result);
	set_standing(numbers, taken->state);
	set_monitored(numbers, taken->scan, taken->state);
	show_scan(numbers, taken->scan);
	metrics_set(numbers->outbox, taken->outbox_events);
	metrics_observe(
		&numbers->evaluation_duration, (double)taken->duration_ns / (double)NUM_NS_PER_S);
	metrics_tick(numbers->metrics);
}
