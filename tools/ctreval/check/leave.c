/* leave - forgets what is no longer watched, and withdraws its reports, once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "leave.h"

#include "withdraw.h"

#include <string.h>

void
leave_port(struct evaluation *evaluation, struct port_entry *port)
{
	withdraw_port(evaluation, port);
	state_remove_port(evaluation->state, port);
}

void
leave_chardev(struct evaluation *evaluation, struct chardev_entry *chardev)
{
	withdraw_chardev(evaluation, chardev);
	state_remove_chardev(evaluation->state, chardev);
}

/* Context of the callbacks for table_each(). */
struct leaving {
	struct evaluation *evaluation;
	const struct cardlist *cards; /* of this scan; NULL for leave_merged() */
};

static void
leave_stray(struct table_node *node, void *context)
{
	leave_port(((struct leaving *)context)->evaluation, (struct port_entry *)node);
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
	withdraw_device(evaluation, device, &device->unreadable_said);
	withdraw_device(evaluation, device, &device->gone_said);
	state_remove_device(evaluation->state, device);
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

/* Return true for a character device to withdraw: it should not exist (has_other_layer()), its kind
 * is no longer expected, its device is left like that of a stray port (is_stray()), or its device
 * is absent and excluded by name. With clear_check, the baseline after a change of mode withdraws
 * the kind. */
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
			       watched_is_excluded(setting, chardev->device)));
}

/* Return true if the state has a port of the card with this link layer, present or absent. */
static bool
has_port(const struct state *state, const struct card_entry *card)
{
	table_foreach (&state->ports, const struct port_entry, port) {
		if (state_port_is_on_card(port, card))
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
	if (card->below.memory == BELOW_REPORTED)
		withdraw_card(evaluation, card, why_exempt(leaving, card));
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
	       watched_is_excluded(evaluation->setting, device->node.key);
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
	withdraw_orphans(evaluation);
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
