/* portmetrics - the metrics of single ports, and of their devices and cards. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "portmetrics.h"

#include "array.h"
#include "check/counter.h"
#include "check/evaluation.h"
#include "event.h"
#include "hash.h"
#include "num.h"
#include "portfacts.h"

#include <stdio.h>
#include <string.h>

/* --- families --- */

static const struct metrics_family state_errors = {"nic_health_monitor_state_check_errors_total",
	"Fatal events about states: a port that is down, a port or device that disappeared, a card "
	"with fewer active ports than its peers, a character device that is missing.",
	METRICS_COUNTER, METRICS_LASTING};
static const struct metrics_family breaches = {
	"nic_health_monitor_counter_threshold_breaches_total",
	"How often the counter's growth exceeded its threshold.", METRICS_COUNTER, METRICS_LASTING};

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
static const struct metrics_family held_seconds = {"nic_health_monitor_port_state_held_seconds",
	"How long the port has not been healthy while stateCheck.portStateHoldDown holds its event "
	"back.",
	METRICS_GAUGE, METRICS_PROCESS};

static const struct metrics_family down = {"nic_port_down_seconds_total",
	"Total time the port has been down.", METRICS_COUNTER, METRICS_LASTING};

/* --- labels --- */

/* Return the port's number as text, in `text`. */
static const char *
port_text(long long number, char text[24])
{
	snprintf(text, 24, "%lld", number);
	return text;
}

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

static struct metrics_cell *
down_of(struct metrics *metrics, const struct port_entry *port)
{
	char number[24];
	const struct metrics_label labels[] = {
		{"device", port->device}, {"port", port_text(port->number, number)}};
	return metrics_cell(metrics, &down, labels, ARRAY_COUNT(labels));
}

/* --- events --- */

/* A state check's event whose code is a counter's name is about that counter. An event without a
 * code continues a report of an older version, which is about a state. */
static bool
is_about_state(const json_t *event)
{
	static const char *const codes[] = {CODE_PORT_STATE, CODE_PORT_GONE, CODE_NIC_GONE,
		CODE_CARD_PORTS, CODE_UVERBS, CODE_UMAD, CODE_ISSM};
	const char *code = event_code(event);

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
	const char *check = NULL, *code = event_code(event);
	bool healthy = false;

	rec_get_bool(event, "isHealthy", &healthy);
	rec_get_string(event, "checkName", &check);
	if (!healthy && check != NULL && code != NULL && strcmp(code, CODE_PORT_BLIP) == 0)
		metrics_add(port_cell(metrics, &blips, check, event_entity(event, "NIC"),
				    event_entity(event, "NICPort")),
			1);
}

static void
count_breach(struct metrics *metrics, const json_t *event)
{
	bool fatal = false;

	rec_get_bool(event, "isFatal", &fatal);
	metrics_add(breaches_of(metrics, event_code(event), event_entity(event, "NIC"),
			    event_entity(event, "NICPort"), fatal),
		1);
}

void
portmetrics_count_events(struct metrics *metrics, const struct eval_result *result)
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

/* --- series before their first event --- */

/* Return true if this port can have breaches of the counter: it is watched, and the port has it. */
static bool
can_breach(const struct eval_setting *setting, const struct port_entry *port, size_t counter)
{
	const struct counter_def *def = &setting->counters->items[counter];
	return port->counters[counter].seen && counter_is_for(def, port->link_layer) &&
	       watched_counter(setting, def, port->layer);
}

static void
begin_port(
	struct metrics *metrics, const struct eval_setting *setting, const struct port_entry *port)
{
	enum check check = check_state(port->layer);
	char text[24];
	const char *number = port_text(port->number, text);

	if (setting->enabled[check])
		state_errors_of(metrics, check_name(check), port->device, number);
	if (setting->enabled[CHECK_IB_CHARDEV] && chardev_is_infiniband(port->link_layer)) {
		const char *chardev = check_name(CHECK_IB_CHARDEV);
		state_errors_of(metrics, chardev, port->device, PORT_OF_UVERBS);
		state_errors_of(metrics, chardev, port->device, number);
	}
	down_of(metrics, port);
	if (setting->enabled[check] && setting->hold_down_ns > 0)
		port_cell(metrics, &blips, check_name(check), port->device, number);
	for (size_t i = 0; i < port->counter_count; i++) {
		const struct counter_def *def = &setting->counters->items[i];
		if (can_breach(setting, port, i))
			breaches_of(metrics, def->name, port->device, number, def->fatal);
	}
}

static void
begin_entity(struct metrics *metrics, const struct eval_setting *setting, const char *name,
	enum layer layer)
{
	enum check check = check_state(layer);
	if (setting->enabled[check])
		state_errors_of(metrics, check_name(check), name, "");
}

void
portmetrics_begin_series(
	struct metrics *metrics, const struct eval_setting *setting, const struct state *state)
{
	table_foreach (&state->devices, const struct device_entry, device)
		begin_entity(metrics, setting, device->node.key, device->layer);
	table_foreach (&state->cards, const struct card_entry, card)
		begin_entity(metrics, setting, card->card, card->layer);
	table_foreach (&state->ports, const struct port_entry, port)
		begin_port(metrics, setting, port);
}

/* The sum is of the ports, the cards, and the counters that were ever read. */
uint64_t
portmetrics_sum_series(const struct state *state, uint64_t port_set)
{
	uint64_t sum = hash_bytes(port_set, &state->cards.count, sizeof state->cards.count);
	table_foreach (&state->ports, const struct port_entry, port) {
		for (size_t i = 0; i < port->counter_count; i++)
			sum += port->counters[i].seen;
	}
	return sum;
}

/* --- open conditions --- */

static void
show_condition(struct metrics *metrics, struct metricsgroup *growth,
	const struct metrics_family *family, const struct standing *condition, const char *code,
	uint64_t value)
{
	char port[24];
	const struct metrics_label labels[] = {
		{"device", condition->device},
		{"port", port_text(condition->port, port)},
		{"check", check_name(condition->check)},
		{"code", code},
	};
	metricsgroup_set(growth, metrics_cell(metrics, family, labels, ARRAY_COUNT(labels)), value);
}

void
portmetrics_show_growth(
	struct metrics *metrics, struct metricsgroup *growth, const struct standing *condition)
{
	const struct counter_memory *memory = condition->memory;
	const char *counter = condition->counter;
	uint64_t value;

	if (condition->flap != NULL)
		show_condition(metrics, growth, &link_downs, condition, condition->code,
			condition->flap->count);
	if (memory == NULL || !counter_last(memory, &value))
		return;
	show_condition(metrics, growth, &breach_values, condition, counter, value);
	if (memory->breach.has_value && value >= memory->breach.began_at)
		show_condition(metrics, growth, &breach_growths, condition, counter,
			value - memory->breach.began_at);
}

/* --- ports that are down --- */

void
portmetrics_show_held(struct metrics *metrics, struct metricsgroup *held, const struct state *state,
	uint64_t now_ns)
{
	char number[24];

	metricsgroup_begin(held);
	table_foreach (&state->ports, const struct port_entry, port) {
		const uint64_t since_ns = port->hold.since_ns;
		if (!port->hold.held)
			continue;
		metricsgroup_set(held,
			port_cell(metrics, &held_seconds, check_name(check_state(port->layer)),
				port->device, port_text(port->number, number)),
			now_ns > since_ns ? (now_ns - since_ns) / NUM_NS_PER_S : 0);
	}
	metricsgroup_end(held);
}

/* Return true if the port, or its device, is missing from the scan. */
static bool
is_missing(const struct state *state, const struct port_entry *port)
{
	const struct device_entry *device = state_find_device(state, port->device);
	return port->missing > 0 || (device != NULL && device->missing > 0);
}

/* A port that was down at its last read counts as down until now. A port that is missing, or whose
 * state is unreadable, is not known to be down. */
void
portmetrics_count_down(struct metrics *metrics, const struct scan *scan, struct state *state)
{
	table_foreach (&state->ports, struct port_entry, port) {
		if (port->down_ns != 0 && is_missing(state, port))
			port->down_ns = 0;
	}
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scanrec_port *record = &scan->ports[i].record;
		struct port_entry *port = state_find_port(state, record->device, record->port);
		if (port == NULL || !watched_port(scan, &scan->ports[i]))
			continue;
		if (port->down_ns != 0 && record->boottime_ns > port->down_ns)
			metrics_add_real(down_of(metrics, port),
				(double)(record->boottime_ns - port->down_ns) /
					(double)NUM_NS_PER_S);
		bool is_down = record->state != NULL && !portfacts_is_up(record);
		port->down_ns = is_down ? record->boottime_ns : 0;
	}
}
