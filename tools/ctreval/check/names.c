/* names - devices go on under other names. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include "counter.h"
#include "flap.h"
#include "leave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A device on its way to another name. */
struct move {
	struct device_entry *entry;
	char to[STATE_NAME_SIZE];
};

struct moves {
	struct move *items;
	size_t count;
};

/* --- who is who --- */

/* Whether the record's device is the one that is remembered: it is on the same PCI function; or, if
 * there is none below either, it has the same GUID, which soft RoCE and the like take from their
 * interface. (0 is the GUID of a function that was given none.) */
static bool
is_same_device(const struct device_entry *entry, const struct scanrec_device *record)
{
	if (record->pci != NULL)
		return strcmp(entry->pci, record->pci) == 0;
	return *entry->pci == '\0' && record->node_guid != NULL &&
	       strcmp(entry->node_guid, record->node_guid) == 0 &&
	       strspn(record->node_guid, "0:") < strlen(record->node_guid);
}

/* Whether it is certain that it is another one. */
static bool
is_other_device(const struct device_entry *entry, const struct scanrec_device *record)
{
	return record->pci != NULL && *entry->pci != '\0' && strcmp(entry->pci, record->pci) != 0;
}

/* True when the scan has the device under the name by which it is remembered. */
static bool
has_its_name(const struct scan *scan, const struct device_entry *entry)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scanrec_device *record = &scan->devices[i].record;
		if (strcmp(record->device, entry->node.key) == 0)
			return !is_other_device(entry, record);
	}
	return false;
}

/* Who the record's device was, when it was remembered under another name; else NULL. */
static struct device_entry *
find_renamed(const struct evaluation *evaluation, const struct scanrec_device *record)
{
	const struct state *state = evaluation->state;
	/* What is a part of another is on its function, too. */
	if (record->parent != NULL)
		return NULL;
	table_foreach (&state->devices, struct device_entry, entry) {
		if (is_same_device(entry, record) && strcmp(entry->node.key, record->device) != 0 &&
			!has_its_name(evaluation->scan, entry))
			return entry;
	}
	return NULL;
}

/* The entry that has the record's name and is another device; else NULL. */
static struct device_entry *
find_displaced(const struct evaluation *evaluation, const struct scanrec_device *record)
{
	struct device_entry *named = state_find_device(evaluation->state, record->device);
	return named != NULL && is_other_device(named, record) ? named : NULL;
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

/* --- giving up a name --- */

/* What was said under the old name is taken back. Of states and rates, what is so will be said anew
 * when they are judged, in this scan or when they can be read; of counters it is said at once,
 * under the new name. */
static void
rename_port(struct evaluation *evaluation, struct port_entry *port)
{
	leave_port_said(evaluation, port);
	if (port->rate.memory == BELOW_REPORTED)
		port->rate.memory = BELOW_WAITING;
}

/* What stands by what was counted is said again under the new name; states and rates are when they
 * are judged. */
static void
report_port_again(struct evaluation *evaluation, struct port_entry *port)
{
	counter_report_again(evaluation, port, CHECK_N);
	flap_report_again(evaluation, port);
}

/* What was reported under the name is taken back. */
static void
give_up_name(struct evaluation *evaluation, struct device_entry *entry)
{
	evaluation_each_port(evaluation, entry->node.key, rename_port);
	/* One that is still missing is said again when it is judged. */
	evaluation_each_chardev(evaluation, entry->node.key, leave_chardev_said);
	leave_device_said(evaluation, entry, &entry->unreadable_said);
	leave_device_said(evaluation, entry, &entry->gone_said);
	entry->presence = DEVICE_FINE;
	entry->missing = 0;
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

/* Of two that have lost their names, and were on the same function, one is known by its address. */
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
			"NIC %s (%s) has lost its name to another device: it is missing, and known "
			"by its PCI address",
			entry->node.key, pci);
	else
		evaluation_note(evaluation,
			"NIC %s (%s) is called %s now: the same device, and nothing is missing",
			entry->node.key, pci, move->to);
}

/* Names may go from one to the next, or be exchanged: all old ones are given up before the first
 * new one is taken. */
static void
move_all(struct evaluation *evaluation, const struct moves *moves)
{
	struct state *state = evaluation->state;

	for (size_t i = 0; i < moves->count; i++) {
		char unused[STATE_NAME_SIZE];
		note(evaluation, &moves->items[i]);
		give_up_name(evaluation, moves->items[i].entry);
		/* No name in sysfs has a slash. */
		snprintf(unused, sizeof unused, "/%zu", i);
		state_rename_device(state, moves->items[i].entry, unused);
	}
	for (size_t i = 0; i < moves->count; i++) {
		/* Whoever still has ports under that name is not moving, so it is not known as a
		 * device. */
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
	/* Each record moves one at most, and displaces one. One more, so that none is no
	 * failure. */
	struct moves moves = {.items = calloc(2 * scan->device_count + 1, sizeof *moves.items)};

	if (moves.items == NULL) {
		evaluation->failed = true;
		return;
	}
	for (size_t i = 0; i < scan->device_count && scan->whole; i++) {
		const struct scanrec_device *record = &scan->devices[i].record;
		const struct device_entry *named =
			state_find_device(evaluation->state, record->device);
		if (named != NULL && !is_other_device(named, record))
			continue;
		struct device_entry *entry = find_renamed(evaluation, record);
		if (entry != NULL && !is_moving(&moves, entry))
			add_move(&moves, entry, record->device);
	}
	for (size_t i = 0; i < scan->device_count && scan->whole; i++) {
		struct device_entry *entry = find_displaced(evaluation, &scan->devices[i].record);
		if (entry != NULL && !is_moving(&moves, entry) && !is_taken(&moves, entry->pci) &&
			state_find_device(evaluation->state, entry->pci) == NULL)
			add_move(&moves, entry, entry->pci);
	}
	move_all(evaluation, &moves);
	free(moves.items);
}
