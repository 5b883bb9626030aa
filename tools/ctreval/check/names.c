/* names - follows devices that were renamed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include "counter.h"
#include "flap.h"
#include "grace.h"
#include "leave.h"
#include "plane.h"
#include "pollstall.h"
#include "withdraw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A device that gets another name. */
struct move {
	struct device_entry *entry;
	char to[STATE_NAME_SIZE];
};

struct moves {
	struct move *items;
	size_t count;
};

/* --- identifying devices --- */

/* Return true if the record's device is the entry's: both are on the same PCI function; or both
 * have none and the same GUID, since soft RoCE and the like derive the GUID from their interface.
 * An all-zero GUID means that none was assigned. */
static bool
is_same_device(const struct device_entry *entry, const struct scanrec_device *record)
{
	if (record->pci != NULL)
		return strcmp(entry->pci, record->pci) == 0;
	return *entry->pci == '\0' && record->node_guid != NULL &&
	       strcmp(entry->node_guid, record->node_guid) == 0 &&
	       strspn(record->node_guid, "0:") < strlen(record->node_guid);
}

/* Return true if the scan has the device under its name in the state. */
static bool
has_its_name(const struct scan *scan, const struct device_entry *entry)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scanrec_device *record = &scan->devices[i].record;
		if (strcmp(record->device, entry->node.key) == 0)
			return !evaluation_is_other(entry, record);
	}
	return false;
}

/* Return the entry that the record's device has under another name, or NULL. */
static struct device_entry *
find_renamed(const struct evaluation *evaluation, const struct scanrec_device *record)
{
	const struct state *state = evaluation->state;
	/* A part of a NIC is on the same function, and so is a subfunction. */
	if (record->parent != NULL || record->vf)
		return NULL;
	table_foreach (&state->devices, struct device_entry, entry) {
		if (is_same_device(entry, record) && strcmp(entry->node.key, record->device) != 0 &&
			!has_its_name(evaluation->scan, entry))
			return entry;
	}
	return NULL;
}

/* Return the entry that has the record's name but is another device, or NULL. */
static struct device_entry *
find_displaced(const struct evaluation *evaluation, const struct scanrec_device *record)
{
	struct device_entry *named = state_find_device(evaluation->state, record->device);
	return named != NULL && evaluation_is_other(named, record) ? named : NULL;
}

bool
names_is_unsettled(const struct evaluation *evaluation, const struct scanrec_device *record)
{
	if (evaluation->scan->whole)
		return false;
	return find_displaced(evaluation, record) != NULL ||
	       (state_find_device(evaluation->state, record->device) == NULL &&
		       find_renamed(evaluation, record) != NULL);
}

/* --- releasing a name --- */

/* Withdraw all reports under the old name. States and rates are reported again when they are next
 * evaluated; counters at once, by report_port_again(). */
static void
rename_port(struct evaluation *evaluation, struct port_entry *port)
{
	withdraw_port(evaluation, port);
	if (port->rate.memory == BELOW_REPORTED)
		port->rate.memory = BELOW_WAITING;
}

/* Report breaches, saturations and flapping again under the new name. */
static void
report_port_again(struct evaluation *evaluation, struct port_entry *port)
{
	counter_report_again(evaluation, port, CHECK_N);
	flap_report_again(evaluation, port);
}

/* Return true if driverReloadGrace goes on under the new name. It does not keep back a port that
 * was reported as fatal, which is reported again at once. */
static bool
keeps_grace(const struct evaluation *evaluation, const struct device_entry *entry)
{
	table_foreach (&evaluation->state->ports, const struct port_entry, port) {
		if (strcmp(port->device, entry->node.key) == 0 && port->state_said.stands &&
			port->state_said.fatal)
			return false;
	}
	return entry->reloading || grace_is_gone_for_now(entry);
}

/* Withdraw all reports under the old name. */
static void
give_up_name(struct evaluation *evaluation, struct device_entry *entry)
{
	grace_set_reloading(evaluation, entry, keeps_grace(evaluation, entry));
	evaluation_each_port(evaluation, entry->node.key, rename_port);
	/* One that is still missing is reported again when it is evaluated. */
	evaluation_each_chardev(evaluation, entry->node.key, withdraw_chardev);
	withdraw_device(evaluation, entry, &entry->unreadable_said);
	withdraw_device(evaluation, entry, &entry->gone_said);
	entry->presence = DEVICE_FINE;
}

/* --- moving --- */

static bool
is_moving(const struct moves *moves, const struct device_entry *entry)
{
	for (size_t i = 0; i < moves->count; i++) {
		if (moves->items[i].entry == entry)
			return true;
	}
	return false;
}

/* Two devices that lost their names may have been on one function: only one can be named after
 * it. */
static bool
is_taken(const struct moves *moves, const char *to)
{
	for (size_t i = 0; i < moves->count; i++) {
		if (strcmp(moves->items[i].to, to) == 0)
			return true;
	}
	return false;
}

static void
add_move(struct moves *moves, struct device_entry *entry, const char *to)
{
	struct move *move = &moves->items[moves->count++];
	move->entry = entry;
	state_copy(move->to, sizeof move->to, to);
}

static void
note(struct evaluation *evaluation, const struct move *move)
{
	const struct device_entry *entry = move->entry;
	const char *pci = *entry->pci != '\0' ? entry->pci : entry->node_guid;
	if (strcmp(move->to, entry->pci) == 0)
		evaluation_note(evaluation,
			"NIC %s (%s) is missing, and another device has its name: tracking the NIC "
			"by its PCI address",
			entry->node.key, pci);
	else
		evaluation_note(evaluation,
			"NIC %s (%s) was renamed to %s: it is the same device, and nothing is "
			"missing",
			entry->node.key, pci, move->to);
}

/* Names can move from one device to the next or be exchanged, so release all old names before
 * assigning new ones. */
static void
move_all(struct evaluation *evaluation, const struct moves *moves)
{
	struct state *state = evaluation->state;

	for (size_t i = 0; i < moves->count; i++) {
		char unused[STATE_NAME_SIZE];
		note(evaluation, &moves->items[i]);
		give_up_name(evaluation, moves->items[i].entry);
		/* A name that sysfs cannot contain. */
		snprintf(unused, sizeof unused, "/%zu", i);
		state_rename_device(state, moves->items[i].entry, unused);
	}
	for (size_t i = 0; i < moves->count; i++) {
		/* Ports left under that name belong to a device that is not in the state. */
		evaluation_each_port(evaluation, moves->items[i].to, leave_port);
		evaluation_each_chardev(evaluation, moves->items[i].to, leave_chardev);
		state_rename_device(state, moves->items[i].entry, moves->items[i].to);
		evaluation_each_port(
			evaluation, moves->items[i].entry->node.key, report_port_again);
	}
}

void
names_settle(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	/* Each record renames at most one device and displaces one. One more, because calloc(0) may
	 * return NULL. */
	struct moves moves = {.items = calloc(2 * scan->device_count + 1, sizeof *moves.items)};

	if (moves.items == NULL) {
		evaluation->failed = true;
		return;
	}
	bool are_known = true;
	for (size_t i = 0; i < scan->device_count && scan->whole; i++) {
		const struct scanrec_device *record = &scan->devices[i].record;
		const struct device_entry *named =
			state_find_device(evaluation->state, record->device);
		if (named != NULL && !evaluation_is_other(named, record))
			continue;
		are_known = false;
		struct device_entry *entry = find_renamed(evaluation, record);
		if (entry != NULL && !is_moving(&moves, entry))
			add_move(&moves, entry, record->device);
	}
	for (size_t i = 0; i < scan->device_count && scan->whole && !are_known; i++) {
		struct device_entry *entry = find_displaced(evaluation, &scan->devices[i].record);
		if (entry != NULL && !is_moving(&moves, entry) && !is_taken(&moves, entry->pci) &&
			state_find_device(evaluation->state, entry->pci) == NULL)
			add_move(&moves, entry, entry->pci);
	}
	move_all(evaluation, &moves);
	free(moves.items);
}

/* --- the node's name --- */

static void
give_up_card(struct evaluation *evaluation, struct card_entry *card)
{
	if (card->below.memory != BELOW_REPORTED)
		return;
	withdraw_card(evaluation, card, NULL);
	state_retract(&card->said);
	card->below.memory = BELOW_WAITING;
}

/* What waits for a disabled check becomes an orphan. */
static void
give_up_names(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;

	table_foreach (&state->devices, struct device_entry, device)
		give_up_name(evaluation, device);
	table_foreach (&state->ports, struct port_entry, port) {
		/* The others are those of the devices. */
		if (state_find_device(state, port->device) == NULL)
			rename_port(evaluation, port);
	}
	table_foreach (&state->chardevs, struct chardev_entry, chardev)
		withdraw_chardev(evaluation, chardev);
}

/* Withdraw the rest as if all checks were enabled: later, a report that waited for its check would
 * be cleared under the present name. */
static void
give_up_rest(struct evaluation *evaluation)
{
	const struct eval_setting *setting = evaluation->setting;
	struct eval_setting all = *setting;

	for (enum check check = 0; check < CHECK_N; check++)
		all.enabled[check] = true;
	evaluation->setting = &all;
	withdraw_orphans(evaluation);
	table_foreach (&evaluation->state->cards, struct card_entry, card)
		give_up_card(evaluation, card);
	plane_withdraw(evaluation);
	pollstall_withdraw(evaluation);
	evaluation->setting = setting;
}

void
names_move_node(struct evaluation *evaluation, const char *former)
{
	event_stream_set_node(evaluation->stream, former);
	/* This may repeat other reports under the former name: those of the ports come later. */
	withdraw_orphans(evaluation);
	give_up_names(evaluation);
	give_up_rest(evaluation);
	event_stream_set_node(evaluation->stream, evaluation->scan->begin.node);
	table_foreach (&evaluation->state->ports, struct port_entry, port)
		report_port_again(evaluation, port);
	evaluation->state->changed = true;
}
