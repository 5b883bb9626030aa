/* baseline - events after a boot that make receivers drop older reports. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline.h"

#include "../state/standing.h"
#include "array.h"
#include "counter.h"
#include "portevent.h"
#include "portfacts.h"
#include "text.h"

#include <string.h>

/* --- visibility --- */

/* Return true if reports about the device or its ports may be open that this scan does not show. A
 * device that topoclass excludes without reading it has none. */
static bool
is_hidden(const struct scanrec_device *device)
{
	bool known = device->vf || (!device->monitored && device->reason != NULL &&
					   strcmp(device->reason, "unreadable") != 0);
	return device->error != NULL && !known;
}

static bool
all_is_seen(const struct scan *scan)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		if (is_hidden(&scan->devices[i].record))
			return false;
	}
	return scan->whole && scan->listed;
}

static bool
card_is_seen(const struct scan *scan, const char *card)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		char other[STATE_NAME_SIZE];
		evaluation_card(&scan->devices[i].record, other);
		/* A part of a NIC adds nothing to the card. */
		if (is_hidden(&scan->devices[i].record) && scan->devices[i].record.parent == NULL &&
			strcmp(other, card) == 0)
			return false;
	}
	return *card != '\0';
}

/* Ports of a device that was not read in full wait until it is. */
static bool
is_readable(const struct scan *scan, const struct scan_port *port)
{
	return watched_port(scan, port) && scan->devices[port->device].record.error == NULL;
}

/* Return true if a report is open under the check about this NIC or card (NULL: any). */
static bool
stands(const struct evaluation *evaluation, enum check check, const char *device)
{
	return standing_count(evaluation->state, evaluation->setting->counters, check, device) > 0;
}

/* --- clearing --- */

/* Send a healthy event without errorCode: receivers drop every report about this NIC or card. */
static void
clear(struct evaluation *evaluation, enum check check, const char *about, const char *name)
{
	const struct claim claim = {
		.check = check_name(check),
		.healthy = true,
		.device = name,
		.timestamp = evaluation->scan->begin.ts,
	};
	evaluation_report(evaluation, &claim,
		"Baseline reset (host reboot or discovery-scope change): clearing all conditions "
		"previously reported by this check%s%s",
		about, text_or_empty(name));
}

/* The same for every report under the check. */
static void
clear_check(struct evaluation *evaluation, enum check check)
{
	clear(evaluation, check, "", NULL);
}

void
baseline_clear_device(struct evaluation *evaluation, enum check check, const char *device)
{
	clear(evaluation, check, " about NIC ", device);
}

/* Cards have only state checks. */
static void
clear_card(struct evaluation *evaluation, enum layer layer, const char *card)
{
	clear(evaluation, check_state(layer), " about card ", card);
}

static bool
is_of_layer(enum check check, enum layer layer)
{
	return check == check_state(layer) || check == check_degradation(layer);
}

/* Clear the readable devices and cards one by one. */
static void
clear_seen(struct evaluation *evaluation, const struct cardlist *cards, enum check check)
{
	const struct scan *scan = evaluation->scan;

	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scan_device *device = &scan->devices[i];
		struct device_entry *entry =
			state_find_device(evaluation->state, device->record.device);
		if (entry == NULL || !watched_device(device) || device->record.error != NULL ||
			!is_of_layer(check, entry->layer))
			continue;
		if (stands(evaluation, check, entry->node.key))
			entry->clear_owed = true;
		else
			baseline_clear_device(evaluation, check, entry->node.key);
	}
	for (size_t i = 0; i < cards->count; i++) {
		const struct card_entry *card = cards->items[i].entry;
		if (check == check_state(card->layer) && card_is_seen(scan, card->card) &&
			!stands(evaluation, check, card->card))
			clear_card(evaluation, card->layer, card->card);
	}
}

/* --- open reports unknown --- */

/* Report what the scan disproves. A device that is back but still reported as gone is only
 * readable. */
static void
report_device_well(
	struct evaluation *evaluation, enum check check, const struct device_entry *entry)
{
	const char *device = entry->node.key;
	const bool gone = entry->gone_said.stands;
	struct claim claim = {
		.check = check_name(check),
		.healthy = true,
		.error_code = gone ? CODE_NIC_UNREADABLE : CODE_NIC_GONE,
		.error_word = gone ? NULL : CODE_NIC_UNREADABLE,
		.device = device,
		.timestamp = evaluation->scan->begin.ts,
	};
	evaluation_report(
		evaluation, &claim, "NIC %s %scan be read", device, gone ? "" : "is there and ");
}

static void
report_well(struct evaluation *evaluation, enum check check)
{
	const struct scan *scan = evaluation->scan;

	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scan_device *device = &scan->devices[i];
		const struct device_entry *entry =
			state_find_device(evaluation->state, device->record.device);
		if (entry != NULL && watched_device(device) && device->record.error == NULL &&
			check == check_state(entry->layer))
			report_device_well(evaluation, check, entry);
	}
}

/* --- the first scan --- */

bool
baseline_is_possible(const struct evaluation *evaluation)
{
	return !evaluation->waiting && all_is_seen(evaluation->scan);
}

bool
baseline_check(struct evaluation *evaluation, const struct cardlist *cards, enum check check)
{
	const struct scan *scan = evaluation->scan;
	const struct eval_setting *setting = evaluation->setting;
	struct state *state = evaluation->state;

	/* chardev.c sends the baseline of character devices. */
	if (!state->baseline_owed[check] || !setting->enabled[check] || check == CHECK_IB_CHARDEV)
		return false;
	evaluation->baseline[check] = evaluation->in_baseline = true;
	state->baseline_owed[check] = false;
	state->changed = true;
	if (state->unknown_past) {
		report_well(evaluation, check);
	} else if (setting->clear_check && all_is_seen(scan) && !stands(evaluation, check, NULL)) {
		clear_check(evaluation, check);
	} else {
		state->clear_owed[check] = setting->clear_check;
		clear_seen(evaluation, cards, check);
	}
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		struct port_entry *entry = evaluation_entry(evaluation, port);
		if (entry != NULL && is_readable(scan, port) &&
			check_state(entry->layer) == check && portfacts_is_up(&port->record))
			port_report_healthy(evaluation, port, entry, CODE_PORT_STATE);
	}
	card_baseline(evaluation, cards, check);
	for (size_t i = 0; i < scan->port_count; i++) {
		if (is_readable(scan, &scan->ports[i]))
			counter_baseline(evaluation, &scan->ports[i], check);
	}
	evaluation->in_baseline = false;
	return true;
}

bool
baseline_was_partial(const struct evaluation *evaluation)
{
	const struct eval_setting *setting = evaluation->setting;
	const struct state *state = evaluation->state;
	return state->settled && setting->baselines && !setting->clear_check &&
	       !state->unknown_past;
}

void
baseline_owe(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	table_foreach (&state->devices, struct device_entry, entry) {
		entry->baseline_owed = entry->unreadable > 0 || entry->seen != state->stamp;
		entry->clear_owed = entry->baseline_owed && !state->unknown_past;
	}
}

/* --- later --- */

void
baseline_late_checks(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	const struct eval_setting *setting = evaluation->setting;

	if (evaluation->waiting || !all_is_seen(evaluation->scan))
		return;
	evaluation->in_baseline = true;
	for (enum check check = 0; check < CHECK_N; check++) {
		if (!state->clear_owed[check] || !setting->enabled[check] ||
			stands(evaluation, check, NULL))
			continue;
		clear_check(evaluation, check);
		state->clear_owed[check] = false;
		state->changed = true;
	}
	evaluation->in_baseline = false;
}

/* Return the device's entry if it was read in full and owes a baseline or clear; else NULL. */
static struct device_entry *
owing_device(const struct evaluation *evaluation, const struct scan_device *device)
{
	struct device_entry *entry = state_find_device(evaluation->state, device->record.device);
	if (entry == NULL || !watched_device(device) || device->record.error != NULL ||
		evaluation->waiting || !evaluation->scan->whole)
		return NULL;
	return entry->baseline_owed || entry->clear_owed ? entry : NULL;
}

static void
clear_late_device(struct evaluation *evaluation, struct device_entry *entry)
{
	const struct eval_setting *setting = evaluation->setting;
	const enum check checks[] = {check_state(entry->layer), check_degradation(entry->layer)};

	for (size_t i = 0; i < ARRAY_COUNT(checks); i++) {
		if (stands(evaluation, checks[i], entry->node.key))
			return;
	}
	for (size_t i = 0; i < ARRAY_COUNT(checks); i++) {
		if (setting->enabled[checks[i]])
			baseline_clear_device(evaluation, checks[i], entry->node.key);
	}
	if (setting->enabled[checks[0]] && card_is_seen(evaluation->scan, entry->card) &&
		!stands(evaluation, checks[0], entry->card))
		clear_card(evaluation, entry->layer, entry->card);
	entry->clear_owed = false;
	evaluation->state->changed = true;
}

void
baseline_late_devices(struct evaluation *evaluation, const struct cardlist *cards)
{
	const struct scan *scan = evaluation->scan;
	evaluation->in_baseline = true;
	for (size_t i = 0; i < scan->device_count; i++) {
		struct device_entry *entry = owing_device(evaluation, &scan->devices[i]);
		if (entry != NULL && entry->clear_owed)
			clear_late_device(evaluation, entry);
		if (entry == NULL || !entry->baseline_owed || !evaluation->state->unknown_past ||
			!evaluation->setting->enabled[check_state(entry->layer)])
			continue;
		report_device_well(evaluation, check_state(entry->layer), entry);
		card_late_baseline(evaluation, cards, entry);
	}
	evaluation->in_baseline = false;
}

void
baseline_late_port(struct evaluation *evaluation, const struct scan_port *port)
{
	const struct device_entry *device =
		owing_device(evaluation, &evaluation->scan->devices[port->device]);
	const struct port_entry *entry = evaluation_entry(evaluation, port);
	if (device == NULL || !device->baseline_owed || entry == NULL)
		return;
	enum check check = check_state(entry->layer);
	evaluation->in_baseline = true;
	/* A port that was unhealthy reports its recovery itself. */
	if ((entry->health == PORT_NEW || entry->health == PORT_HEALTHY) &&
		evaluation->setting->enabled[check] && portfacts_is_up(&port->record))
		port_report_healthy(evaluation, port, entry, CODE_PORT_STATE);
	counter_baseline(evaluation, port, check);
	counter_baseline(evaluation, port, check_degradation(entry->layer));
	evaluation->in_baseline = false;
}

void
baseline_settle(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->device_count; i++) {
		struct device_entry *entry = owing_device(evaluation, &scan->devices[i]);
		if (entry == NULL || !entry->baseline_owed)
			continue;
		entry->baseline_owed = false;
		evaluation->state->changed = true;
	}
}
