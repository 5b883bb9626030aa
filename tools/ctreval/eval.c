/* eval - one scan judged: every monitored port's state and counters, events out. */
#include "eval.h"

#include <inttypes.h>
#include <stdarg.h>
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

/* A line for stderr: what was seen, and why it is no event. */
static void
note(struct evaluation *evaluation, const char *seen, const char *why)
{
	if (json_array_append_new(evaluation->result->notes, json_sprintf("%s: %s", seen, why)) < 0)
		evaluation->no_memory = true;
}

/* A text of whatever length it needs; the event cuts its message where a record must end. NULL when memory ran out. */
static char *__attribute__((format(printf, 2, 3)))
text_new(struct evaluation *evaluation, const char *format, ...)
{
	char *text;
	va_list args;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		evaluation->no_memory = true;
		text = NULL;
	}
	va_end(args);
	return text;
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

static char *
unhealthy_new(struct evaluation *evaluation, const struct scanrec_port *port)
{
	if (is_ethernet(port))
		return text_new(evaluation,
			"RoCE port %s port %" PRId64 ": state %s, phys_state %s, operstate %s",
			port->device, port->port, port->state, port->phys_state,
			port->operstate != NULL ? port->operstate : "unknown");
	return text_new(evaluation, "Port %s port %" PRId64 ": state %s, phys_state %s",
		port->device, port->port, port->state, port->phys_state);
}

static char *
healthy_new(struct evaluation *evaluation, const struct scanrec_port *port)
{
	return text_new(evaluation, "%s %s port %" PRId64 ": healthy (ACTIVE, LinkUp)",
		is_ethernet(port) ? "RoCE port" : "Port", port->device, port->port);
}

static void
eval_state(struct evaluation *evaluation, const struct scan *scan, const struct scan_port *port,
	struct port_entry *entry)
{
	const struct scanrec_port *record = &port->record;

	/* Absent texts are no evidence of anything. */
	if (record->state == NULL || record->phys_state == NULL)
		return;
	enum port_sight sight = port_judge(is_ethernet(record), record->state, record->phys_state);
	enum port_action action = port_step(&entry->health, sight);
	if (action == PORT_SAY_NOTHING || !evaluation->setting->enabled[state_check(record)])
		return;

	char *text = action == PORT_SAY_HEALTHY ? healthy_new(evaluation, record)
						: unhealthy_new(evaluation, record);
	if (text == NULL)
		return;
	if (action == PORT_NOTE_MUTED) {
		note(evaluation, text, "so when first seen, not reported");
	} else {
		struct event event = event_about(scan, port, state_check(record));
		event.healthy = action == PORT_SAY_HEALTHY;
		event.fatal = action == PORT_SAY_FATAL;
		event.message = text;
		say(evaluation, &event);
	}
	free(text);
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

static char *
breach_new(struct evaluation *evaluation, const struct scanrec_port *port,
	const struct counter_def *def, uint64_t value, const struct counter_finding *finding)
{
	return text_new(evaluation,
		"Port %s port %" PRId64 ": %s - %s (value=%" PRIu64 ", delta=%" PRIu64
		", rate=%.2f/%s)",
		port->device, port->port, def->name, def->description, value, finding->delta,
		finding->rate, counter_unit_name(counter_rate_unit(def)));
}

static void
eval_counter(struct evaluation *evaluation, const struct scan *scan, const struct scan_port *port,
	const struct counter_def *def, struct counter_memory *memory)
{
	const struct scanrec_port *record = &port->record;
	struct counter_sample now = {.boottime_ns = record->boottime_ns};

	/* Missing counters are normal across generations of cards; what is no number is none. */
	if (rec_u64(counter_value(record, def), &now.value) != REC_OK)
		return;
	struct counter_finding finding = counter_step(def, memory, &now);
	enum check check = counter_check(evaluation->setting, def, record);
	if (finding.verdict == COUNTER_QUIET || !evaluation->setting->enabled[check])
		return;

	bool recovered = finding.verdict == COUNTER_RECOVERY;
	struct event event = event_about(scan, port, check);
	event.error_code = def->name;
	event.healthy = recovered;
	event.fatal = !recovered && def->fatal;
	char *text = recovered
			     ? text_new(evaluation, "Counter %s recovered on port %s port %" PRId64,
				       def->name, record->device, record->port)
			     : breach_new(evaluation, record, def, now.value, &finding);
	if (text == NULL)
		return;
	event.message = text;
	say(evaluation, &event);
	free(text);
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

size_t
eval_judged_ports(const struct scan *scan)
{
	size_t count = 0;
	for (size_t i = 0; i < scan->port_count; i++)
		count += is_judged(scan, &scan->ports[i]);
	return count;
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
