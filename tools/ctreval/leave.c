/* leave - what nobody watches any more: what was said about it is taken back, once. */
#include "leave.h"

#include "explain.h"
#include "ratecheck.h"

#include <stdlib.h>
#include <string.h>

/* One healthy event about a counter, port, rate, card or device; takes `text`. */
static void
say(struct evaluation *evaluation, const char *about, enum check check, struct claim claim,
	char *text)
{
	const struct device_entry *device = state_find_device(evaluation->state, claim.device);

	claim.check = check_name(check);
	claim.healthy = true;
	claim.timestamp = evaluation->scan->begin.ts;
	claim.message = text;
	if (device != NULL && *device->pci != '\0')
		claim.pci = device->pci;
	if (device != NULL && *device->role != '\0')
		claim.role = device->role;
	if (text != NULL && evaluation->setting->enabled[check])
		explain_leaving(evaluation, about, &claim, evaluation_say(evaluation, &claim));
	free(text);
}

/* `word`: "saturated", when that is what was reported, else NULL. */
static void
leave_counter(struct evaluation *evaluation, enum check check, const char *device, long long port,
	const char *name, const char *word)
{
	say(evaluation, "counter", check,
		(struct claim){
			.device = device, .port = port, .error_code = name, .error_word = word},
		evaluation_text_new(evaluation,
			"Counter %s is no longer monitored on port %s port %lld", name, device,
			port));
}

static enum check
check_of_orphan(const struct evaluation *evaluation, const struct orphan *orphan)
{
	if (!orphan->saturated)
		return orphan->breach.check;
	const struct port_entry *port =
		state_find_port(evaluation->state, orphan->device, orphan->port);
	return check_degradation(port != NULL && port->ethernet);
}

static void
leave_orphans(struct evaluation *evaluation)
{
	for (struct orphan **at = &evaluation->state->orphans; *at != NULL;) {
		struct orphan *orphan = *at;
		enum check check = check_of_orphan(evaluation, orphan);
		if (!evaluation->setting->enabled[check]) {
			at = &orphan->next;
			continue;
		}
		leave_counter(evaluation, check, orphan->device, orphan->port, orphan->name,
			orphan->saturated ? "saturated" : NULL);
		*at = orphan->next;
		state_free_orphan(orphan);
	}
}

/* True when nothing stands about the port that a check that is switched off would have to take back. */
static bool
can_leave(const struct evaluation *evaluation, const struct port_entry *port)
{
	const bool *enabled = evaluation->setting->enabled;
	if ((port_is_reported(port->health) && !enabled[check_state(port->ethernet)]) ||
		(port->rate == RATE_SLOW && !enabled[check_degradation(port->ethernet)]))
		return false;
	for (size_t i = 0; i < port->counter_count; i++) {
		const struct counter_memory *memory = &port->counters[i];
		if ((memory->breached && !enabled[memory->breach.check]) ||
			(memory->saturation == SATURATION_REPORTED &&
				!enabled[check_degradation(port->ethernet)]))
			return false;
	}
	return true;
}

/* Says of everything that was reported about a port that it is so no more. */
static void
take_back_port(struct evaluation *evaluation, const struct port_entry *port)
{
	const struct counter_list *counters = evaluation->setting->counters;
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_memory *memory = &port->counters[i];
		const char *name = counters->items[i].name;
		if (memory->breached)
			leave_counter(evaluation, memory->breach.check, port->device, port->number,
				name, NULL);
		if (memory->saturation == SATURATION_REPORTED)
			leave_counter(evaluation, check_degradation(port->ethernet), port->device,
				port->number, name, "saturated");
	}
	if (port->rate == RATE_SLOW)
		say(evaluation, "rate", check_degradation(port->ethernet),
			(struct claim){.device = port->device,
				.port = port->number,
				.error_code = RATECHECK_CODE},
			evaluation_text_new(evaluation,
				"Rate is no longer monitored on port %s port %lld", port->device,
				port->number));
	if (port_is_reported(port->health))
		say(evaluation, "port", check_state(port->ethernet),
			(struct claim){.device = port->device, .port = port->number},
			evaluation_text_new(evaluation, "Port %s port %lld is no longer monitored",
				port->device, port->number));
}

/* What is told of ports, devices and cards that may leave. */
struct leaving {
	struct evaluation *evaluation;
	const char *device;            /* whose ports; unused otherwise */
	const struct card_list *cards; /* of this scan; unused otherwise */
};

static void
leave_port(struct table_node *node, void *context)
{
	struct evaluation *evaluation = ((struct leaving *)context)->evaluation;
	struct port_entry *port = (struct port_entry *)node;
	if (!can_leave(evaluation, port))
		return;
	take_back_port(evaluation, port);
	state_remove_port(evaluation->state, port);
}

static bool
is_its_port(const struct table_node *node, void *context)
{
	return strcmp(((const struct port_entry *)node)->device,
		       ((const struct leaving *)context)->device) == 0;
}

static void
leave_device(struct table_node *node, void *context)
{
	struct evaluation *evaluation = ((struct leaving *)context)->evaluation;
	struct device_entry *device = (struct device_entry *)node;
	struct leaving its = {.evaluation = evaluation, .device = node->key};

	if (table_each(&evaluation->state->ports, is_its_port, leave_port, &its) < 0) {
		evaluation->failed = true;
		return;
	}
	if (device->presence != DEVICE_FINE &&
		!evaluation->setting->enabled[check_state(device->ethernet)])
		return;
	if (device->presence != DEVICE_FINE)
		say(evaluation, "device", check_state(device->ethernet),
			(struct claim){.device = device->node.key},
			evaluation_text_new(
				evaluation, "NIC %s is no longer monitored", device->node.key));
	state_remove_device(evaluation->state, device);
}

/* True when the scan has the device, and it is not monitored. */
static bool
is_left(const struct scan *scan, const char *device)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		if (!evaluation_is_watched(&scan->devices[i]) &&
			strcmp(scan->devices[i].record.device, device) == 0)
			return true;
	}
	return false;
}

/* A port without a device: a state file may have counters of a device that it does not list. Those whose device is not there at all wait for it. */
static bool
is_stray(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = ((const struct leaving *)context)->evaluation;
	const char *device = ((const struct port_entry *)node)->device;
	return state_find_device(evaluation->state, device) == NULL &&
	       is_left(evaluation->scan, device);
}

/* True while the card has a port of its link layer that is watched, or was and is merely absent. */
static bool
has_port(const struct state *state, const struct card_entry *card)
{
	for (const struct table_node *node = table_next(&state->ports, NULL); node != NULL;
		node = table_next(&state->ports, node)) {
		const struct port_entry *port = (const struct port_entry *)node;
		if (port->ethernet == card->ethernet && strcmp(port->card, card->card) == 0)
			return true;
	}
	return false;
}

/* Its entry stays, for the list of this scan's cards may refer to it. */
static void
leave_card(struct table_node *node, void *context)
{
	struct evaluation *evaluation = ((struct leaving *)context)->evaluation;
	struct card_entry *card = (struct card_entry *)node;
	if (card->memory == CARD_ANOMALOUS) {
		char *devices = cardcheck_devices_new(evaluation, card->card);
		say(evaluation, "card", check_state(card->ethernet),
			(struct claim){.device = card->card,
				.devices = devices != NULL && *devices != '\0' ? devices : NULL},
			evaluation_text_new(
				evaluation, "Card %s is no longer monitored", card->card));
		free(devices);
	}
	card->memory = CARD_FINE;
	evaluation->state->changed = true;
}

static bool
is_left_card(const struct table_node *node, void *context)
{
	const struct leaving *leaving = context;
	const struct state *state = leaving->evaluation->state;
	const struct card_entry *card = (const struct card_entry *)node;
	return card->memory != CARD_FINE &&
	       ((card->seen == state->stamp && leaving->cards->items[card->unit].exempt) ||
		       !has_port(state, card));
}

/* A device that is not there, and that the settings exclude by its name: nobody waits for it any more. */
static bool
is_excluded(const struct table_node *node, void *context)
{
	const struct evaluation *evaluation = ((const struct leaving *)context)->evaluation;
	const struct device_entry *device = (const struct device_entry *)node;
	const struct eval_setting *setting = evaluation->setting;
	if (device->known || device->seen == evaluation->state->stamp)
		return false;
	if (setting->inclusion != NULL && setting->inclusion->count > 0)
		return !rx_list_match(setting->inclusion, device->node.key);
	return setting->exclusion != NULL && rx_list_match(setting->exclusion, device->node.key);
}

/* What is so at the new name will be said anew: a port that is down has been healthy there for all that anybody knows. */
static void
rename_port(struct table_node *node, void *context)
{
	struct port_entry *port = (struct port_entry *)node;
	take_back_port(((struct leaving *)context)->evaluation, port);
	if (port_is_reported(port->health))
		port->health = PORT_HEALTHY;
	if (port->rate == RATE_SLOW)
		port->rate = RATE_WAITING;
	for (size_t i = 0; i < port->counter_count; i++) {
		port->counters[i].breached = false;
		port->counters[i].saturation = SATURATION_NONE;
	}
}

void
leave_rename(struct evaluation *evaluation, struct device_entry *entry, const char *name)
{
	char *text = evaluation_text_new(evaluation, "NIC %s (%s) is called %s now",
		entry->node.key, *entry->pci != '\0' ? entry->pci : entry->node_guid, name);
	if (text != NULL)
		evaluation_note(evaluation, text, "the same device, and nothing is missing");
	free(text);
	struct leaving its = {.evaluation = evaluation, .device = entry->node.key};
	if (table_each(&evaluation->state->ports, is_its_port, rename_port, &its) < 0)
		evaluation->failed = true;
	if (entry->presence != DEVICE_FINE)
		say(evaluation, "device", check_state(entry->ethernet),
			(struct claim){.device = entry->node.key},
			evaluation_text_new(
				evaluation, "NIC %s is no longer monitored", entry->node.key));
	entry->presence = DEVICE_FINE;
	entry->missing = 0;
	state_rename_device(evaluation->state, entry, name);
}

void
leave_judge(struct evaluation *evaluation, const struct card_list *cards)
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
		if (!evaluation_is_watched(device) && entry != NULL)
			leave_device(&entry->node, &leaving);
	}
	if (table_each(&state->devices, is_excluded, leave_device, &leaving) < 0 ||
		table_each(&state->ports, is_stray, leave_port, &leaving) < 0 ||
		table_each(&state->cards, is_left_card, leave_card, &leaving) < 0)
		evaluation->failed = true;
}
