/* withdraw - withdraws open reports, or keeps them as orphans while their check is disabled. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "withdraw.h"

#include "../state/standing.h"
#include "array.h"
#include "card.h"
#include "counter.h"
#include "flap.h"

#include <stdlib.h>
#include <string.h>

/* --- one report --- */

/* One report to withdraw. */
struct left {
	enum check check;
	const char *device;  /* or a card's PCI address */
	long long port;      /* 0: none */
	const char *name;    /* a counter's, or that of a kind */
	const char *code;    /* code of the report; "": none */
	const char *word;    /* CODE_SATURATED for a saturation, else NULL */
	const char *devices; /* of a card; nullable */
	const char *exempt;  /* why a card is no longer compared; NULL: it is not watched */
};

/* How the message names what was reported. */
enum form {
	FORM_COUNTER,
	FORM_PORT,
	FORM_THING,   /* a NIC or a card */
	FORM_OF_PORT, /* something of a port, or of a NIC if it has no port */
};

static const struct kind {
	const char *name;    /* a code */
	const char *about;   /* subject in decision records */
	enum form form;      /* of the message */
	const char *subject; /* in messages of FORM_THING and FORM_OF_PORT */
} kinds[] = {
	{CODE_PORT_STATE, "port", FORM_PORT, NULL},
	{CODE_PORT_GONE, "port", FORM_PORT, NULL},
	{CODE_NIC_GONE, "device", FORM_THING, "NIC"},
	{CODE_NIC_UNREADABLE, "device", FORM_THING, "NIC"},
	{CODE_CARD_PORTS, "card", FORM_THING, "Card"},
	{CODE_RATE_BELOW_PEERS, "rate", FORM_OF_PORT, "Rate"},
	{CODE_LINK_FLAP, "flapping", FORM_OF_PORT, "Flapping"},
	{CODE_UVERBS, "character_device", FORM_OF_PORT, "Character device uverbs"},
	{CODE_UMAD, "character_device", FORM_OF_PORT, "Character device umad"},
	{CODE_ISSM, "character_device", FORM_OF_PORT, "Character device issm"},
};

/* Every name that is no code of `kinds` is that of a counter. */
static const struct kind *
kind_of(const char *name)
{
	static const struct kind counter = {"", "counter", FORM_COUNTER, NULL};

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	return &counter;
}

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

/* Append the healthy event and return it, borrowed; NULL if memory ran out. */
static const json_t *
report(struct evaluation *evaluation, const struct left *left, const struct kind *kind,
	const struct claim *claim)
{
	if (left->exempt != NULL)
		return evaluation_report(evaluation, claim,
			"Card %s exempt from peer comparison (%s); clearing anomaly", left->device,
			left->exempt);
	switch (kind->form) {
	case FORM_COUNTER:
		return evaluation_report(evaluation, claim,
			"Counter %s on %s is no longer monitored (counter disabled or device out "
			"of monitoring scope); clearing stale breach",
			left->name, left->device);
	case FORM_PORT:
		return evaluation_report(evaluation, claim,
			"Port %s port %lld is no longer monitored", left->device, left->port);
	case FORM_THING:
		return evaluation_report(evaluation, claim, "%s %s is no longer monitored",
			kind->subject, left->device);
	case FORM_OF_PORT:
		break;
	}
	if (left->port == 0)
		return evaluation_report(evaluation, claim, "%s is no longer monitored on NIC %s",
			kind->subject, left->device);
	return evaluation_report(evaluation, claim,
		"%s is no longer monitored on port %s port %lld", kind->subject, left->device,
		left->port);
}

/* Withdraw the report with one healthy event, unless the check is disabled. */
static void
withdraw(struct evaluation *evaluation, const struct left *left)
{
	const struct kind *kind = kind_of(left->name);
	struct claim claim = evaluation_about(evaluation, left->check, left->device, left->port);

	if (!evaluation->setting->enabled[left->check])
		return;
	claim.healthy = true;
	claim.error_code = left->code;
	claim.error_word = left->word;
	claim.devices = left->devices;
	explain(evaluation, left, kind->about, report(evaluation, left, kind, &claim));
}

/* --- orphans of disabled checks --- */

/* A report of a disabled check waits for the check as an orphan, under the name that it was made
 * with: the device may have another name by then. */
static void
make_orphan(struct evaluation *evaluation, enum check check, const char *device, long long port,
	const char *name, bool saturated, struct breach *breach)
{
	breach->check = check;
	if (state_add_orphan(evaluation->state, device, port, name, saturated, breach) < 0)
		evaluation->failed = true;
}

static void
orphan_said(struct evaluation *evaluation, enum check check, const char *device, long long port,
	const char *code, struct said *said)
{
	struct breach breach = {.fatal = said->fatal, .uncoded = *said->code == '\0'};
	if (evaluation->setting->enabled[check])
		return;
	if (said->stands)
		make_orphan(evaluation, check, device, port, breach.uncoded ? code : said->code,
			false, &breach);
	state_retract(said);
}

static void
orphan_counter(struct evaluation *evaluation, const struct port_entry *port, const char *name,
	struct counter_memory *memory)
{
	const bool *enabled = evaluation->setting->enabled;
	enum check degradation = check_degradation(port->layer);

	if (memory->breached && !enabled[memory->breach.check]) {
		make_orphan(evaluation, memory->breach.check, port->device, port->number, name,
			false, &memory->breach);
		memory->breached = false;
	}
	if (memory->saturation == SATURATION_REPORTED && !enabled[degradation]) {
		make_orphan(evaluation, degradation, port->device, port->number, name, true,
			&(struct breach){.fatal = false});
		memory->saturation = SATURATION_NONE;
	}
}

static void
orphan_port(struct evaluation *evaluation, struct port_entry *port)
{
	enum check degradation = check_degradation(port->layer);

	for (size_t i = 0; i < port->counter_count; i++)
		orphan_counter(evaluation, port, evaluation->setting->counters->items[i].name,
			&port->counters[i]);
	if (!evaluation->setting->enabled[degradation] && port->rate.memory == BELOW_REPORTED) {
		make_orphan(evaluation, degradation, port->device, port->number,
			CODE_RATE_BELOW_PEERS, false, &(struct breach){.fatal = false});
		port->rate.memory = BELOW_WAITING;
	}
	if (!evaluation->setting->enabled[degradation] && port->flap.flapping) {
		make_orphan(evaluation, degradation, port->device, port->number, CODE_LINK_FLAP,
			false, &(struct breach){.fatal = false});
		port->flap.flapping = false;
	}
	orphan_said(evaluation, check_state(port->layer), port->device, port->number,
		CODE_PORT_STATE, &port->state_said);
	orphan_said(evaluation, check_state(port->layer), port->device, port->number,
		CODE_PORT_GONE, &port->gone_said);
}

/* --- by subject --- */

/* Withdraw one report about the port; `name` is a counter's name or equals `code`. */
static void
withdraw_of_port(struct evaluation *evaluation, const struct port_entry *port, enum check check,
	const char *name, const char *code, const char *word)
{
	withdraw(evaluation, &(struct left){.check = check,
				     .device = port->device,
				     .port = port->number,
				     .name = name,
				     .code = code,
				     .word = word});
}

void
withdraw_rate(struct evaluation *evaluation, const struct port_entry *port)
{
	if (port->rate.memory == BELOW_REPORTED)
		withdraw_of_port(evaluation, port, check_degradation(port->layer),
			CODE_RATE_BELOW_PEERS, CODE_RATE_BELOW_PEERS, NULL);
}

void
withdraw_port(struct evaluation *evaluation, struct port_entry *port)
{
	const struct counter_list *counters = evaluation->setting->counters;
	enum check state = check_state(port->layer);
	enum check degradation = check_degradation(port->layer);

	orphan_port(evaluation, port);
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_memory *memory = &port->counters[i];
		const char *name = counters->items[i].name;
		if (memory->breached)
			withdraw_of_port(evaluation, port, memory->breach.check, name,
				memory->breach.uncoded ? "" : name, NULL);
		if (memory->saturation == SATURATION_REPORTED)
			withdraw_of_port(evaluation, port, degradation, name, name, CODE_SATURATED);
	}
	withdraw_rate(evaluation, port);
	if (port->flap.flapping)
		withdraw_of_port(
			evaluation, port, degradation, CODE_LINK_FLAP, CODE_LINK_FLAP, NULL);
	if (port->state_said.stands)
		withdraw_of_port(
			evaluation, port, state, CODE_PORT_STATE, port->state_said.code, NULL);
	if (port->gone_said.stands)
		withdraw_of_port(
			evaluation, port, state, CODE_PORT_GONE, port->gone_said.code, NULL);
	state_retract(&port->state_said);
	state_retract(&port->gone_said);
}

void
withdraw_chardev(struct evaluation *evaluation, struct chardev_entry *chardev)
{
	orphan_said(evaluation, CHECK_IB_CHARDEV, chardev->device, chardev->number, chardev->name,
		&chardev->said);
	if (chardev->said.stands)
		withdraw(evaluation, &(struct left){.check = CHECK_IB_CHARDEV,
					     .device = chardev->device,
					     .port = chardev->number,
					     .name = chardev->name,
					     .code = chardev->said.code});
	state_retract(&chardev->said);
}

void
withdraw_device(struct evaluation *evaluation, const struct device_entry *device, struct said *said)
{
	orphan_said(
		evaluation, check_state(device->layer), device->node.key, 0, CODE_NIC_GONE, said);
	if (said->stands)
		withdraw(evaluation, &(struct left){.check = check_state(device->layer),
					     .device = device->node.key,
					     .name = CODE_NIC_GONE,
					     .code = said->code});
	state_retract(said);
}

void
withdraw_card(struct evaluation *evaluation, const struct card_entry *card, const char *exempt)
{
	char *devices = card_devices_new(evaluation, card->card);
	withdraw(evaluation,
		&(struct left){.check = check_state(card->layer),
			.device = card->card,
			.name = CODE_CARD_PORTS,
			.code = card->said.code,
			.exempt = exempt,
			.devices = devices != NULL && *devices != '\0' ? devices : NULL});
	free(devices);
}

/* --- orphans whose check is enabled --- */

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

void
withdraw_orphans(struct evaluation *evaluation)
{
	for (struct orphan **at = &evaluation->state->orphans; *at != NULL;) {
		struct orphan *orphan = *at;
		enum check check = standing_check_of_orphan(evaluation->state, orphan);
		if (!evaluation->setting->enabled[check]) {
			at = &orphan->next;
			continue;
		}
		withdraw(evaluation, &(struct left){.check = check,
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
