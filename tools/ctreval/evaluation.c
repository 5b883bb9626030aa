/* evaluation - what the judgements of one scan share. */
#include "evaluation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

bool
evaluation_wants(const struct evaluation *evaluation, bool ethernet)
{
	return evaluation->only == CHECK_N || evaluation->only == check_state(ethernet);
}

bool
evaluation_is_watched(const struct scan_device *device)
{
	return device->record.monitored && !device->record.vf;
}

bool
evaluation_is_judged(const struct scan *scan, const struct scan_port *port)
{
	return port->record.monitored && port->device != SIZE_MAX &&
	       evaluation_is_watched(&scan->devices[port->device]);
}

void
evaluation_card(const struct scanrec_device *device, char *card)
{
	if (device->card != NULL) {
		state_copy(card, STATE_NAME_SIZE, device->card);
		return;
	}
	state_copy(card, STATE_NAME_SIZE, device->pci);
	char *dot = strrchr(card, '.');
	if (dot != NULL)
		*dot = '\0';
}

bool
evaluation_is_healthy(const struct scanrec_port *port)
{
	return port->state != NULL && port->phys_state != NULL &&
	       port_judge(check_is_ethernet(port->link_layer), port->state, port->phys_state) ==
		       SIGHT_HEALTHY;
}

char *
evaluation_text_new(struct evaluation *evaluation, const char *format, ...)
{
	char *text;
	va_list args;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		evaluation->failed = true;
		text = NULL;
	}
	va_end(args);
	return text;
}

const json_t *
evaluation_say(struct evaluation *evaluation, const struct claim *claim)
{
	char port[24];
	snprintf(port, sizeof port, "%" PRId64, claim->port);
	const char *const codes[] = {claim->error_code, claim->error_word};
	const struct event_pair entities[] = {
		{"NIC", claim->device},
		{"NICPort", claim->port != 0 ? port : NULL},
	};
	/* A card's list of devices can be long, and is then the first to go. */
	const struct event_pair metadata[] = {
		{"pci", claim->pci},
		{"role", claim->role},
		{"devices", claim->devices},
		{"rate", claim->rate},
		{"peer_rate", claim->peer_rate},
	};
	const struct event event = {
		.agent = "nic-health-monitor",
		.check = claim->check,
		.fatal = claim->fatal,
		.healthy = claim->healthy,
		.message = claim->message,
		.message_length = strlen(claim->message),
		.codes = codes,
		.code_count = COUNT(codes),
		.entities = entities,
		.entity_count = COUNT(entities),
		.metadata = metadata,
		.metadata_count = COUNT(metadata),
		.timestamp = claim->timestamp,
	};
	json_t *record = event_new(evaluation->stream, &event);
	if (record == NULL || json_array_append_new(evaluation->result->events, record) < 0) {
		evaluation->failed = true;
		return NULL;
	}
	evaluation->state->changed = true;
	return record;
}

struct claim
evaluation_about_port(const struct scan *scan, const struct scan_port *port, enum check check)
{
	return (struct claim){
		.check = check_name(check),
		.device = port->record.device,
		.port = port->record.port,
		.pci = scan->devices[port->device].record.pci,
		.role = port->record.role,
		.timestamp = port->record.ts,
	};
}

void
evaluation_note(struct evaluation *evaluation, const char *seen, const char *why)
{
	if (json_array_append_new(evaluation->result->notes, json_sprintf("%s: %s", seen, why)) < 0)
		evaluation->failed = true;
}

void
evaluation_explain(struct evaluation *evaluation, const char *about, json_t *fields,
	const json_t *event, const char *reason)
{
	const struct scanrec_begin *begin = &evaluation->scan->begin;
	if (!evaluation->setting->explain) {
		json_decref(fields);
		return;
	}
	json_t *record = json_pack("{s:s, s:i, s:I, s:s, s:I, s:s}", "kind", "decision", "v", 1,
		"scan", (json_int_t)begin->scan, "ts", begin->ts, "boottime_ns",
		(json_int_t)begin->boottime_ns, "about", about);
	if (fields != NULL)
		json_object_update(record, fields);
	json_decref(fields);
	json_object_set_new(record, "reason", json_string(reason));
	json_object_set(
		record, "event", event != NULL ? json_object_get(event, "id") : json_null());
	if (record == NULL || json_array_append_new(evaluation->result->decisions, record) < 0)
		evaluation->failed = true;
}

void
evaluation_no_entry(struct evaluation *evaluation, const char *name)
{
	if (errno != ENOSPC) {
		evaluation->failed = true;
		return;
	}
	if (!evaluation->state->overfull)
		evaluation_note(evaluation, name,
			"not judged, and whatever comes after it: there are more than can be remembered");
	evaluation->state->overfull = true;
}
