/* eval - one scan judged: every monitored port's state and counters, events out. */
#include "eval.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One evaluation in progress. */
struct evaluation {
	const struct eval_setting *setting;
	struct event_stream *stream;
	struct eval_result *result;
	bool no_memory;
};

const char *
check_name(enum check check)
{
	switch (check) {
	case CHECK_IB_STATE:
		return "InfiniBandStateCheck";
	case CHECK_IB_DEGRADATION:
		return "InfiniBandDegradationCheck";
	case CHECK_ETH_STATE:
		return "EthernetStateCheck";
	case CHECK_ETH_DEGRADATION:
		return "EthernetDegradationCheck";
	case CHECK_N:
		break;
	}
	return NULL;
}

/* Everything that is not Ethernet behaves like InfiniBand, Omni-Path above all. */
static bool
is_ethernet(const struct scanrec_port *port)
{
	return port->link_layer != NULL && strcmp(port->link_layer, "Ethernet") == 0;
}

static enum check
state_check(const struct scanrec_port *port)
{
	return is_ethernet(port) ? CHECK_ETH_STATE : CHECK_IB_STATE;
}

static enum check
counter_check(const struct eval_setting *setting, const struct counter_def *def,
	const struct scanrec_port *port)
{
	bool with_state = def->fatal && !setting->fatal_counters_as_degradation;
	if (with_state)
		return state_check(port);
	return is_ethernet(port) ? CHECK_ETH_DEGRADATION : CHECK_IB_DEGRADATION;
}

/* Ports of virtual functions never alert; those of NICs nobody needs for the job are not judged. A port whose device
 * record was lost, and that topoclass did not annotate, may be either: it is left for the next scan. */
static bool
is_judged(const struct scan *scan, const struct scan_port *port)
{
	if (!port->record.monitored)
		return false;
	return port->device != SIZE_MAX && !scan->devices[port->device].record.vf &&
	       scan->devices[port->device].record.monitored;
}

/* --- saying it --- */

static void
say(struct evaluation *evaluation, const struct event *event)
{
	json_t *record = event_new(evaluation->stream, event);
	if (record == NULL || json_array_append_new(evaluation->result->events, record) < 0)
		evaluation->no_memory = true;
}

static void
note(struct evaluation *evaluation, const char *text)
{
	if (json_array_append_new(evaluation->result->notes, json_string(text)) < 0)
		evaluation->no_memory = true;
}

/* What all events about a port have in common. */
static struct event
event_about(const struct scan *scan, const struct scan_port *port, enum check check)
{
	return (struct event){
		.check = check_name(check),
		.device = port->record.device,
		.port = port->record.port,
		.pci = scan->devices[port->device].record.pci,
		.role = port->record.role,
		.timestamp = port->record.ts,
	};
}

/* --- port state --- */

static void
format_unhealthy(const struct scanrec_port *port, char *text, size_t size)
{
	if (is_ethernet(port))
		snprintf(text, size,
			"RoCE port %s port %" PRId64 ": state %s, phys_state %s, operstate %s",
			port->device, port->port, port->state, port->phys_state,
			port->operstate != NULL ? port->operstate : "unknown");
	else
		snprintf(text, size, "Port %s port %" PRId64 ": state %s, phys_state %s",
			port->device, port->port, port->state, port->phys_state);
}

static void
eval_state(struct evaluation *evaluation, const struct scan *scan, const struct scan_port *port,
	struct port_entry *entry)
{
	const struct scanrec_port *record = &port->record;
	char message[512], line[768];

	/* Absent texts are no evidence of anything. */
	if (record->state == NULL || record->phys_state == NULL)
		return;
	enum port_sight sight = port_judge(is_ethernet(record), record->state, record->phys_state);
	enum port_action action = port_step(&entry->health, sight);
	if (!evaluation->setting->enabled[state_check(record)])
		return;

	struct event event = event_about(scan, port, state_check(record));
	event.message = message;
	switch (action) {
	case PORT_SAY_NOTHING:
		return;
	case PORT_NOTE_MUTED:
		format_unhealthy(record, message, sizeof message);
		snprintf(line, sizeof line, "%s: so when first seen, not reported", message);
		note(evaluation, line);
		return;
	case PORT_SAY_HEALTHY:
		snprintf(message, sizeof message,
			"%s %s port %" PRId64 ": healthy (ACTIVE, LinkUp)",
			is_ethernet(record) ? "RoCE port" : "Port", record->device, record->port);
		event.healthy = true;
		break;
	case PORT_SAY_FATAL:
		event.fatal = true;
		format_unhealthy(record, message, sizeof message);
		break;
	case PORT_SAY_DEGRADED:
		format_unhealthy(record, message, sizeof message);
		break;
	}
	say(evaluation, &event);
}

/* --- counters --- */

static const json_t *
counter_value(const struct scanrec_port *port, const struct counter_def *def)
{
	const json_t *maps[] = {
		[COUNTER_PORT] = port->counters,
		[COUNTER_HW] = port->hw_counters,
		[COUNTER_STATISTICS] = port->net,
		[COUNTER_INTERFACE] = port->net,
	};
	return json_object_get(maps[def->group], def->file);
}

static void
eval_counter(struct evaluation *evaluation, const struct scan *scan, const struct scan_port *port,
	const struct counter_def *def, struct counter_memory *memory)
{
	const struct scanrec_port *record = &port->record;
	struct counter_sample now = {.boottime_ns = record->boottime_ns};
	char message[768];

	/* Missing counters are normal across generations of cards; what is no number is none. */
	if (rec_u64(counter_value(record, def), &now.value) != REC_OK)
		return;
	struct counter_finding finding = counter_step(def, memory, &now);
	enum check check = counter_check(evaluation->setting, def, record);
	if (finding.verdict == COUNTER_QUIET || !evaluation->setting->enabled[check])
		return;

	struct event event = event_about(scan, port, check);
	event.error_code = def->name;
	event.message = message;
	if (finding.verdict == COUNTER_RECOVERY) {
		event.healthy = true;
		snprintf(message, sizeof message, "Counter %s recovered on port %s port %" PRId64,
			def->name, record->device, record->port);
	} else {
		event.fatal = def->fatal;
		enum counter_unit unit =
			def->type == COUNTER_DELTA ? COUNTER_PER_SECOND : def->unit;
		snprintf(message, sizeof message,
			"Port %s port %" PRId64 ": %s - %s (value=%" PRIu64 ", delta=%" PRIu64
			", rate=%.2f/%s)",
			record->device, record->port, def->name, def->description, now.value,
			finding.delta, finding.rate, counter_unit_name(unit));
	}
	say(evaluation, &event);
}

/* --- the scan --- */

int
eval_scan(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result)
{
	struct evaluation evaluation = {.setting = setting, .stream = stream, .result = result};

	*result = (struct eval_result){.events = json_array(), .notes = json_array()};
	for (size_t i = 0; i < scan->port_count && !evaluation.no_memory; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (!is_judged(scan, port))
			continue;
		struct port_entry *entry =
			state_port(state, port->record.device, port->record.port);
		if (entry == NULL)
			return -1;

		eval_state(&evaluation, scan, port, entry);
		for (size_t c = 0; setting->counter_detection && c < setting->counters->count;
			c++) {
			const struct counter_def *def = &setting->counters->items[c];
			if (def->enabled)
				eval_counter(&evaluation, scan, port, def, &entry->counters[c]);
		}
	}
	return evaluation.no_memory ? -1 : 0;
}

/* Appends a name to a comma-separated list. */
static int
append_name(char **list, const char *name)
{
	char *longer;
	if (asprintf(&longer, "%s%s%s", *list != NULL ? *list : "", *list != NULL ? ", " : "",
		    name) < 0)
		return -1;
	free(*list);
	*list = longer;
	return 0;
}

int
eval_availability(const struct eval_setting *setting, const struct scan *scan, char **available,
	char **unavailable)
{
	*available = *unavailable = NULL;
	for (size_t c = 0; setting->counter_detection && c < setting->counters->count; c++) {
		const struct counter_def *def = &setting->counters->items[c];
		bool found = false;
		if (!def->enabled)
			continue;
		for (size_t i = 0; i < scan->port_count && !found; i++)
			found = is_judged(scan, &scan->ports[i]) &&
				counter_value(&scan->ports[i].record, def) != NULL;
		if (append_name(found ? available : unavailable, def->name) < 0)
			return -1;
	}
	return 0;
}
