/* evaluation - shared by all checks of one scan: events, notes and decision records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "evaluation.h"

#include "../state/standing.h"
#include "array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
evaluation_why_waiting(const struct evaluation *evaluation)
{
	return evaluation->booting ? "verdicts wait until the node has been up for bootGrace"
				   : "verdicts wait for a scan in which every device can be read";
}

const char *
evaluation_why_not(const struct evaluation *evaluation, enum check check)
{
	if (!evaluation->setting->enabled[check])
		return EVALUATION_SWITCHED_OFF;
	return evaluation->waiting ? evaluation_why_waiting(evaluation) : NULL;
}

bool
evaluation_wants(const struct evaluation *evaluation, enum layer layer)
{
	return evaluation->only == CHECK_N || evaluation->only == check_state(layer);
}

bool
evaluation_is_other(const struct device_entry *entry, const struct scanrec_device *record)
{
	return record->pci != NULL && *entry->pci != '\0' && strcmp(entry->pci, record->pci) != 0;
}

struct port_entry *
evaluation_entry(const struct evaluation *evaluation, const struct scan_port *port)
{
	return state_find_port(evaluation->state, port->record.device, port->record.port);
}

struct device_entry *
evaluation_fine_device(const struct evaluation *evaluation, const struct scan_device *device)
{
	struct device_entry *entry =
		watched_device(device) ? state_find_device(evaluation->state, device->record.device)
				       : NULL;
	bool is_fine = entry != NULL && device->record.error == NULL &&
		       entry->presence == DEVICE_FINE &&
		       evaluation->setting->enabled[check_degradation(entry->layer)];
	return is_fine ? entry : NULL;
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

static const struct device_entry *
find_device_of_card(const struct state *state, const char *card)
{
	table_foreach (&state->devices, const struct device_entry, device) {
		if (strcmp(device->card, card) == 0)
			return device;
	}
	return NULL;
}

/* Return the claim's NIC, or one of its card, if `vendors` excludes its vendor from action; else
 * NULL. */
static const struct device_entry *
find_unlisted(const struct state *state, const struct claim *claim)
{
	if (claim->device == NULL)
		return NULL;
	const struct device_entry *entry = state_find_device(state, claim->device);
	if (entry == NULL)
		entry = find_device_of_card(state, claim->device);
	return entry != NULL && entry->store_only ? entry : NULL;
}

static bool
executes(const struct evaluation *evaluation)
{
	return strcmp(evaluation->stream->strategy, event_strategies[EVENT_EXECUTE_REMEDIATION]) ==
	       0;
}

/* Return the strategy of the claim's event; NULL: the stream's. Receivers that act upon a report
 * ignore a withdrawal that is STORE_ONLY. */
static const char *
choose_strategy(struct evaluation *evaluation, const struct claim *claim, bool is_listed)
{
	struct state *state = evaluation->state;
	if (claim->store_only || !is_listed)
		return event_strategies[EVENT_STORE_ONLY];
	state->executed |= !claim->healthy && executes(evaluation);
	return claim->healthy && state->executed ? event_strategies[EVENT_EXECUTE_REMEDIATION]
						 : NULL;
}

void
evaluation_settle_strategy(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	if (!state->executed || executes(evaluation) || state_owes_baseline(state) ||
		standing_count(state, evaluation->setting->counters, CHECK_N, NULL) > 0)
		return;
	state->executed = false;
	state->changed = true;
}

static const json_t *
report_text(struct evaluation *evaluation, const struct claim *claim, const char *text)
{
	char port[24];
	snprintf(port, sizeof port, "%" PRId64, claim->port);
	const struct device_entry *unlisted = find_unlisted(evaluation->state, claim);
	const char *const codes[] = {
		claim->error_code != NULL && *claim->error_code != '\0' ? claim->error_code : NULL,
		claim->error_word};
	const struct event_pair entities[] = {
		{"NIC", claim->device},
		{"NICPort", claim->port != 0 ? port : NULL},
	};
	/* When the event is too long, its last metadata are dropped first; a card's list of devices
	 * can be long. */
	const struct event_pair metadata[] = {
		{"pci", claim->pci},
		{"role", claim->role},
		{"netdev", claim->netdev},
		{"baseline", evaluation->in_baseline ? "true" : NULL},
		{"devices", claim->devices},
		{"rate", claim->rate},
		{"peer_rate", claim->peer_rate},
		{"link_downs", claim->link_downs},
		{"cause", claim->cause != NULL && *claim->cause != '\0' ? claim->cause : NULL},
		{"parent", claim->parent},
		{"held_seconds", claim->held_seconds},
		{"down_seconds", claim->down_seconds},
		{"clearedBy", claim->cleared_by},
		{"clearWhy", claim->clear_why},
		{"changed", claim->changed},
		{"was", claim->was},
		{"is", claim->is},
		{"vendor", unlisted != NULL ? unlisted->vendor : NULL},
	};
	const struct event event = {
		.agent = "nic-health-monitor",
		.check = claim->check,
		.fatal = claim->fatal,
		.healthy = claim->healthy,
		.message = text,
		.message_length = strlen(text),
		.codes = codes,
		.code_count = ARRAY_COUNT(codes),
		.entities = entities,
		.entity_count = ARRAY_COUNT(entities),
		.metadata = metadata,
		.metadata_count = ARRAY_COUNT(metadata),
		.timestamp = claim->timestamp,
		.strategy = choose_strategy(evaluation, claim, unlisted == NULL),
	};
	json_t *record = event_new(evaluation->stream, &event);
	if (record == NULL || json_array_append_new(evaluation->result->events, record) < 0) {
		evaluation->failed = true;
		return NULL;
	}
	evaluation->state->changed = true;
	return record;
}

const json_t *
evaluation_report(struct evaluation *evaluation, const struct claim *claim, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	int length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		evaluation->failed = true;
		return NULL;
	}
	const json_t *said = report_text(evaluation, claim, text);
	free(text);
	return said;
}

void
evaluation_end_at_once(struct evaluation *evaluation, struct claim *claim, const char *noun)
{
	claim->healthy = true;
	claim->held_seconds = claim->down_seconds = claim->link_downs = NULL;
	if (noun == NULL)
		evaluation_report(
			evaluation, claim, "NIC %s is there and can be read", claim->device);
	else
		evaluation_report(evaluation, claim,
			"%s %s port %" PRId64 ": healthy (ACTIVE, LinkUp)", noun, claim->device,
			claim->port);
}

void
evaluation_set_id(char id[EVENT_ID_SIZE], const json_t *event)
{
	const char *now = NULL;
	rec_get_string(event, "id", &now);
	state_copy(id, EVENT_ID_SIZE, now);
}

struct claim
evaluation_about_port(const struct scan *scan, const struct scan_port *port, enum check check)
{
	const char *layer = port->record.link_layer;
	bool is_ethernet = layer != NULL && strcmp(layer, "Ethernet") == 0;
	return (struct claim){
		.check = check_name(check),
		.device = port->record.device,
		.port = port->record.port,
		.pci = scan->devices[port->device].record.pci,
		.role = port->record.role,
		.netdev = is_ethernet ? port->record.netdev : NULL,
		.timestamp = port->record.ts,
	};
}

struct claim
evaluation_about(
	const struct evaluation *evaluation, enum check check, const char *device, int64_t port)
{
	const struct device_entry *entry = state_find_device(evaluation->state, device);
	return (struct claim){
		.check = check_name(check),
		.device = device,
		.port = port,
		.pci = entry != NULL && *entry->pci != '\0' ? entry->pci : NULL,
		.role = entry != NULL && *entry->role != '\0' ? entry->role : NULL,
		.timestamp = evaluation->scan->begin.ts,
	};
}

/* Context of evaluation_each_port(). */
struct port_walk {
	struct evaluation *evaluation;
	const char *device;
	void (*act)(struct evaluation *evaluation, struct port_entry *port);
};

static bool
is_its_port(const struct table_node *node, void *context)
{
	return strcmp(((const struct port_entry *)node)->device,
		       ((const struct port_walk *)context)->device) == 0;
}

static void
act_on_port(struct table_node *node, void *context)
{
	const struct port_walk *walk = context;
	walk->act(walk->evaluation, (struct port_entry *)node);
}

void
evaluation_each_port(struct evaluation *evaluation, const char *device,
	void (*act)(struct evaluation *evaluation, struct port_entry *port))
{
	struct port_walk walk = {evaluation, device, act};
	if (table_each(&evaluation->state->ports, is_its_port, act_on_port, &walk) < 0)
		evaluation->failed = true;
}

/* Context of evaluation_each_chardev(). */
struct chardev_walk {
	struct evaluation *evaluation;
	const char *device;
	void (*act)(struct evaluation *evaluation, struct chardev_entry *chardev);
};

static bool
is_its_chardev(const struct table_node *node, void *context)
{
	return strcmp(((const struct chardev_entry *)node)->device,
		       ((const struct chardev_walk *)context)->device) == 0;
}

static void
act_on_chardev(struct table_node *node, void *context)
{
	const struct chardev_walk *walk = context;
	walk->act(walk->evaluation, (struct chardev_entry *)node);
}

void
evaluation_each_chardev(struct evaluation *evaluation, const char *device,
	void (*act)(struct evaluation *evaluation, struct chardev_entry *chardev))
{
	struct chardev_walk walk = {evaluation, device, act};
	if (table_each(&evaluation->state->chardevs, is_its_chardev, act_on_chardev, &walk) < 0)
		evaluation->failed = true;
}

void
evaluation_note(struct evaluation *evaluation, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (json_array_append_new(evaluation->result->notes, json_vsprintf(format, args)) < 0)
		evaluation->failed = true;
	va_end(args);
}

void
evaluation_explain(struct evaluation *evaluation, const char *about, json_t *fields,
	const json_t *event, const char *reason)
{
	const struct scanrec_begin *begin = &evaluation->scan->begin;
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
		evaluation_note(evaluation,
			"%s: not checked, nor is anything after it: the state has no room for more",
			name);
	evaluation->state->overfull = true;
}
