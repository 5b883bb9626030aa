/* leave - withdraws reports about things that are no longer watched, once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "leave.h"

#include "../state/standing.h"
#include "array.h"
#include "counter.h"
#include "flap.h"

#include <stdlib.h>
#include <string.h>

/* One report to withdraw. */
struct left {
	enum check check;
	const char *device; /* or a card's PCI address */
	long long port;     /* 0: none */
	const char *name;
	const char *code;    /* code of the report; "": none */
	const char *word;    /* CODE_SATURATED for a saturation, else NULL */
	const char *devices; /* of a card; nullable */
	const char *exempt;  /* why a card is no longer compared; NULL: it is not watched */
};

/* Subject in decision records, and in messages. */
static const struct kind {
	const char *name, *about, *subject;
} kinds[] = {
	{CODE_PORT_STATE, "port", "Port"},
	{CODE_PORT_GONE, "port", "Port"},
	{CODE_NIC_GONE, "device", "NIC"},
	{CODE_NIC_UNREADABLE, "device", "NIC"},
	{CODE_CARD_PORTS, "card", "Card"},
	{CODE_RATE_BELOW_PEERS, "rate", "Rate"},
	{CODE_LINK_FLAP, "flapping", "Flapping"},
	{CODE_UVERBS, "character_device", "Character device uverbs"},
	{CODE_UMAD, "character_device", "Character device umad"},
	{CODE_ISSM, "character_device", "Character device issm"},
};

static void
explain(struct evaluation *evaluation, const struct left *left, const char *about,
	const json_t *said)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields =
		json_pack("{s:s}", strcmp(about, "card") == 0 ? "card" : "device", left->device);
	if (left->port != 0)
		json_object_set_new(fields, "port", json_integer(left->port));
	if (strcmp(about, "counter") == 0)
		json_object_set_new(fields, "counter", json_string(left->code));
	if (strcmp(about, "character_device") == 0)
		json_object_set_new(fields, "node", json_string(left->code));
	evaluation_explain(evaluation, about, fields, said,
		"it is no longer monitored: what was reported about it is cleared");
}

/* Withdraw the report with one healthy event, unless the check is disabled. */
static void
leave(struct evaluation *evaluation, const struct left *left)
{
	const struct kind *kind = NULL;
	const char *about = "counter";
	const json_t *said;
	struct claim claim = evaluation_about(evaluation, left->check, left->device, left->port);

	if (!evaluation->setting->enabled[left->check])
		return;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (strcmp(kinds[i].name, left->name) == 0) {
			kind = &kinds[i];
			about = kind->about;
		}
	}
	claim.healthy = true;
	claim.error_code = left->code;
	claim.error_word = left->word;
	claim.devices = left->devices;
	if (kind == NULL)
		said = evaluation_report(evaluation, &claim,
			"Counter %s on %s is no longer monitored (counter disabled or device out "
			"of monitoring scope); clearing stale breach",
			left->name, left->device);
	else if (strcmp(about, "port") == 0)
		said = evaluation_report(evaluation, &claim,
			"Port %s port %lld is no longer monitored", left->device, left->port);
	else if (left->exempt != NULL)
		said = evaluation_report(evaluation, &claim,
			"Card %s exempt from peer comparison (%s); clearing anomaly", left->device,
			left->exempt);
	else if (strcmp(about, "device") == 0 || strcmp(about, "card") == 0)
		said = evaluation_report(evaluation, &claim, "%s %s is no longer monitored",
			kind->subject, left->device);
	else if (left->port == 0)
		said = evaluation_report(evaluation, &claim, "%s is no longer monitored on NIC %s",
			kind->subject, left->device);
	else
		said = evaluation_report(evaluation, &claim,
			"%s is no longer monitored on port %s port %lld", kind->subject,
			left->device, left->port);
	explain(evaluation, left, about, said);
}

/* An event without a code withdraws every report about the port under the check. Report those that
 * are still open again: counters and flapping at once, the others when they are evaluated. */
static void
report_rest_again(struct evaluation *evaluation, const struct orphan *orphan, enum check check)
{
	struct port_entry *port = state_find_port(evaluation->state, orphan->device, orphan->port);
	if (port == NULL)
		return;
	if (check == check_state(port->layer)) {
		state_retract(&port->state_said);
		state_retract(&port->gone_said);
	} else if (port->rate.memory == BELOW_REPORTED) {
		port->rate.memory = BELOW_WAITING;
	}
	counter_report_again(evaluation, port, check);
	if (check == check_degradation(port->layer))
		flap_report_again(evaluation, port);
}

static void
leave_orphans(struct evaluation *evaluation)
{
	for (struct orphan **at = &evaluation->state->orphans; *at != NULL;) {
		struct orphan *orphan = *at;
		enum check check = standing_check_of_orphan(evaluation->state, orphan);
		if (!evaluation->setting->enabled[check]) {
			at = &orphan->next;
			continue;
		}
		leave(evaluation, &(struct left){.check = check,
					  .device = orphan->device,
					  .port = orphan->port,
					  .name = orphan->name,
					  .code = orphan->breach.uncoded ? "" : orphan->name,
					  .word = orphan->saturated ? CODE_SATURATED : NULL});
		if (orphan->breach.uncoded)
			report_rest_again(evaluation, orphan, check);
		*at = orphan->next;
		state_free_orphan(orphan);
	}
}

/* A report of a disabled check waits for the check as an orphan, under the name that it was made
 * with: the device may have another name by then. */
static void
keep(struct evaluation *evaluation, enum check check, const char *device, long long port,
	const char *name, bool saturated, struct breach *breach)
{
	breach->check = check;
	if (state_add_orphan(evaluation->state, device, port, name, saturated, breach) < 0)
		evaluation->failed = true;
}

static void
keep_said(struct evaluation *evaluation, enum check check, const char *device, long long port,
	const char *code, struct said *said)
{
	struct breach breach = {.fatal = said->fatal, .uncoded = *said->code == '\0'};
	if (said->stands && !evaluation->setting->enabled[check])
		keep(evaluation, check, device, port, breach.uncoded ? code : said->code, false,
			&breach);
	if (!evaluation->setting->enabled[check])
		state_retract(said);
}

static void
keep_counter(struct evaluation *evaluation, const struct port_entry *port, const char *name,
	struct counter_memory *memory)
{
	const bool *enabled = evaluation->setting->enabled;
	enum check degradation = check_degradation(port->layer);

	if (memory->breached && !enabled[memory->breach.check]) {
		keep(evaluation, memory->breach.check, port->device, port->number, name, false,
			&memory->breach);
		memory->breached = false;
	}
	if (memory->saturation == SATURATION_REPORTED && !enabled[degradation]) {
		keep(evaluation, degradation, port->device, port->number, name, true,
			&(struct breach){.fatal = false});
		memory->saturation = SATURATION_NONE;
	}
}

static void
keep_port(struct evaluation *evaluation, struct port_entry *port)
{
	enum check degradation = check_degradation(port->layer);

	for (size_t i = 0; i < port->counter_count; i++)
		keep_counter(evaluation, port, evaluation->setting->counters->items[i].name,
			&port->counters[i]);
	if (!evaluation->setting->enabled[degradation] && port->rate.memory == BELOW_REPORTED) {
		keep(evaluation, degradation, port->device, port->number, CODE_RATE_BELOW_PEERS,
			false, &(struct breach){.fatal = false});
		port->rate.memory = BELOW_WAITING;
	}
	if (!evaluation->setting->enabled[degradation] && port->flap.flapping) {
		keep(evaluation, degradation, port->device, port->number, CODE_LINK_FLAP, false,
			&(struct breach){.fatal = false});
		port->flap.flapping = false;
	}
	keep_said(evaluation, check_state(port->layer), port->device, port->number, CODE_PORT_STATE,
		&port->state_said);
	keep_said(evaluation, check_state(port->layer), port->device, port->number, CODE_PORT_GONE,
		&port->gone_said);
}

/* Withdraw one report about the port; `name` is a counter's name or equals `code`. */
static void
leave_one(struct evaluation *evaluation, const struct port_entry *port, enum check check,
	const char *name, const char *code, const char *word)
{
	leave(evaluation, &(struct left){.check = check,
				  .device = port->device,
				  .port = port->number,
				  .name = name,
				  .code = code,
				  .word = word});
}

void
leave_port_said(struct evaluation *evaluation, struct port_entry *port)
{
	const struct counter_list *counters = evaluation->setting->counters;
	enum check state = check_state(port->layer);
	enum check degradation = check_degradation(port->layer);

	keep_port(evaluation, port);
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_memory *memory = &port->counters[i];
		const char *name = counters->items[i].name;
		if (memory->breached)
			leave_one(evaluation, port, memory->breach.check, name,
				memory->breach.uncoded ? "" : name, NULL);
		if (memory->saturation == SATURATION_REPORTED)
			leave_one(evaluation, port, degradation, name, name, CODE_SATURATED);
	}
	if (port->rate.memory == BELOW_REPORTED)
		leave_one(evaluation, port, degradation, CODE_RATE_BELOW_PEERS,
			CODE_RATE_BELOW_PEERS, NULL);
	if (port->flap.flapping)
		leave_one(evaluation, port, degradation, CODE_LINK_FLAP, CODE_LINK_FLAP, NULL);
	if (port->state_said.stands)
		leave_one(evaluation, port, state, CODE_PORT_STATE, port->state_said.code, NULL);
	if (port->gone_said.stands)
		leave_one(evaluation, port, state, CODE_PORT_GONE, port->gone_said.code, NULL);
	state_retract(&port->state_said);
	state_retract(&port->gone_said);
}

void
leave_chardev_said(struct evaluation *evaluation, struct chardev_entry *chardev)
{
	keep_said(evaluation, CHECK_IB_CHARDEV, chardev->device, chardev->number, chardev->name,
		&chardev->said);
	if (chardev->said.stands)
		leave(evaluation, &(struct left){.check = CHECK_IB_CHARDEV,
					  .device = chardev->device,
					  .port = chardev->number,
					  .name = chardev->name,
					  .code = chardev->said.code});
	state_retract(&chardev->said);
}

void
leave_chardev(struct evaluation *evaluation, struct chardev_entry *chardev)
{
	leave_chardev_said(evaluation, chardev);
	state_remove_chardev(evaluation->state, chardev);
}

/* Context of the callbacks for table_each(). */
struct leaving {
	struct evaluation *evaluation;
	const struct cardlist *cards; /* of this scan; NULL for leave_merged() */
};

void
leave_port(struct evaluation *evaluation, struct port_entry *port)
{
	leave_port_said(evaluation, port);
	state_remove_port(evaluation->state, port);
}

static void
leave_stray(struct table_node *node, void *context)
{
	leave_port(((struct leaving *)context)->evaluation, (struct port_entry *)node);
}

void
leave_device_said(
	struct evaluation *evaluation, const struct device_entry *device, struct said *said)
{
	keep_said(evaluation, check_state(device->layer), device->node.key, 0, CODE_NIC_GONE, said);
	if (said->stands)
		leave(evaluation, &(struct left){.check = check_state(device->layer),
					  .device = device->node.key,
					  .name = CODE_NIC_GONE,
					  .code = said->code});
	state_retract(said);
}

bool
leave_has_to_wait(const struct evaluation *evaluation, const struct device_entry *entry)
{
	return entry->presence != DEVICE_FINE &&
	       !evaluation->setting->enabled[check_state(entry->layer)];
}

static void
leave_device(struct table_node *node, void *context)
{
	struct evaluation *evaluation = ((struct leaving *)context)->evaluation;
	struct device_entry *device = (struct device_entry *)node;

	evaluation_each_port(evaluation, node->key, leave_port);
	evaluation_each_chardev(evaluation, node->key, leave_chardev);
	if (evaluation->failed || leave_has_to_wait(evaluation, device))
		return;
	leave_device_said(evaluation, device, &device->unreadable_said);
	leave_device_said(evaluation, device, &device->gone_said);
	state_remove_device(evaluation->state, device);
}

/* Return true if the settings exclude devices of this name. */
static bool
is_excluded_name(const struct eval_setting *setting, const char *device)
{
	if (setting->inclusion != NULL && setting->inclusion->count > 0)
		return !rx_list_match(setting->inclusion, device);
	return setting->exclusion != NULL && rx_list_match(setting->exclusion, device);
}

static bool
is_there(const struct scan *scan, const char *device)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		if (strcmp(scan->devices[i].record.device, device) == 0)
			return true;
	}
	return false;
}

/* Return true if the scan has the device and it is not watched. */
static bool
is_left(const struct scan *scan, const char *device)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		if (!watched_device(&scan->devices[i]) &&
			strcmp(scan->devices[i].record.device, device) == 0)
			return true;
	}
	return false;
}

/* Return true for a port without a device entry whose device the scan shows as not watched. State
 * files may have counters of a device that they do not list; if the scan does not have it, they
 * wait. */
static bool
is_stray(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = ((const struct leaving *)context)->evaluation;
	const char *device = ((const struct port_entry *)node)->device;
	return state_find_device(evaluation->state, device) == NULL &&
	       is_left(evaluation->scan, device);
}

static void
leave_stray_chardev(struct table_node *node, void *context)
{
	leave_chardev(((struct leaving *)context)->evaluation, (struct chardev_entry *)node);
}

/* Return true if the scan shows that a character device should not exist: its port, or every port
 * of its device, has a link layer other than InfiniBand. */
static bool
has_other_layer(const struct scan *scan, const struct chardev_entry *chardev)
{
	size_t others = 0;
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (!watched_port(scan, port) ||
			strcmp(port->record.device, chardev->device) != 0 ||
			(chardev->number != 0 && port->record.port != chardev->number))
			continue;
		if (scan->devices[port->device].record.error != NULL ||
			port->record.link_layer == NULL ||
			chardev_is_infiniband(port->record.link_layer))
			return false;
		others++;
	}
	return others > 0 && scan->whole;
}

/* The same for a character device; or it is of a kind that is no longer expected. If whole checks
 * are cleared, the baseline after a change of mode does this. */
static bool
is_stray_chardev(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = ((const struct leaving *)context)->evaluation;
	const struct chardev_entry *chardev = (const struct chardev_entry *)node;
	const struct eval_setting *setting = evaluation->setting;
	if ((chardev->kind == CHARDEV_ISSM && !setting->issm_always && !setting->clear_check) ||
		has_other_layer(evaluation->scan, chardev))
		return true;
	return state_find_device(evaluation->state, chardev->device) == NULL &&
	       (is_left(evaluation->scan, chardev->device) ||
		       (!is_there(evaluation->scan, chardev->device) &&
			       is_excluded_name(setting, chardev->device)));
}

/* Return true if the state has a port of the card with this link layer, present or absent. */
static bool
has_port(const struct state *state, const struct card_entry *card)
{
	table_foreach (&state->ports, const struct port_entry, port) {
		if (port->layer == card->layer && strcmp(port->card, card->card) == 0)
			return true;
	}
	return false;
}

/* Return why the card is no longer compared; NULL if it is, or this scan does not have it. */
static const char *
why_exempt(const struct leaving *leaving, const struct card_entry *card)
{
	if (card->seen != leaving->evaluation->state->stamp)
		return NULL;
	return leaving->cards->items[card->unit].exempt;
}

/* Keep the entry, because this scan's cardlist may refer to it. */
static void
leave_card(struct table_node *node, void *context)
{
	const struct leaving *leaving = context;
	struct evaluation *evaluation = leaving->evaluation;
	struct card_entry *card = (struct card_entry *)node;
	/* The report waits for its check. */
	if (card->said.stands && !evaluation->setting->enabled[check_state(card->layer)])
		return;
	if (card->below.memory == BELOW_REPORTED) {
		char *devices = card_devices_new(evaluation, card->card);
		leave(evaluation,
			&(struct left){.check = check_state(card->layer),
				.device = card->card,
				.name = CODE_CARD_PORTS,
				.code = card->said.code,
				.exempt = why_exempt(leaving, card),
				.devices = devices != NULL && *devices != '\0' ? devices : NULL});
		free(devices);
	}
	card->below.memory = BELOW_FINE;
	state_retract(&card->said);
	evaluation->state->changed = true;
}

/* Return true if the scan has a device of the card, watched or not. */
static bool
is_listed_card(const struct scan *scan, const char *card)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		char other[STATE_NAME_SIZE];
		evaluation_card(&scan->devices[i].record, other);
		if (strcmp(other, card) == 0)
			return true;
	}
	return false;
}

/* A file of the original does not say which ports a card has: the card counts as absent until a
 * device of it is seen. */
static bool
is_left_card(const struct table_node *node, void *context)
{
	const struct leaving *leaving = context;
	const struct state *state = leaving->evaluation->state;
	const struct card_entry *card = (const struct card_entry *)node;
	if (card->below.memory == BELOW_FINE)
		return false;
	if (why_exempt(leaving, card) != NULL)
		return true;
	return !has_port(state, card) &&
	       (card->seen != 0 || is_listed_card(leaving->evaluation->scan, card->card));
}

/* Return true for an absent device that the settings exclude by its name. */
static bool
is_excluded(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = ((const struct leaving *)context)->evaluation;
	const struct device_entry *device = (const struct device_entry *)node;
	return !device->known && device->seen != evaluation->state->stamp &&
	       is_excluded_name(evaluation->setting, device->node.key);
}

void
leave_merged(struct evaluation *evaluation, struct device_entry *entry)
{
	struct leaving leaving = {.evaluation = evaluation};
	leave_device(&entry->node, &leaving);
}

void
leave_eval(struct evaluation *evaluation, const struct cardlist *cards)
{
	const struct scan *scan = evaluation->scan;
	const struct state *state = evaluation->state;
	struct leaving leaving = {.evaluation = evaluation, .cards = cards};

	if (evaluation->waiting)
		return;
	leave_orphans(evaluation);
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scan_device *device = &scan->devices[i];
		struct device_entry *entry = state_find_device(state, device->record.device);
		/* An entry that was not observed may be another device with that name: leave it to
		 * the next scan. */
		if (!watched_device(device) && entry != NULL && entry->seen == state->stamp)
			leave_device(&entry->node, &leaving);
	}
	if (table_each(&state->devices, is_excluded, leave_device, &leaving) < 0 ||
		table_each(&state->ports, is_stray, leave_stray, &leaving) < 0 ||
		table_each(&state->chardevs, is_stray_chardev, leave_stray_chardev, &leaving) < 0 ||
		table_each(&state->cards, is_left_card, leave_card, &leaving) < 0)
		evaluation->failed = true;
}
