/* standing - the open conditions: everything that was reported and not yet withdrawn. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "standing.h"

#include "errorcode.h"

#include <string.h>

struct walk {
	void (*tell)(const struct standing *condition, void *context);
	void *context;
};

static void
report(const struct walk *walk, struct standing condition)
{
	walk->tell(&condition, walk->context);
}

static void
report_of(const struct walk *walk, const struct said *said, enum check check, const char *device,
	long long port)
{
	if (said->stands)
		report(walk, (struct standing){.check = check,
				     .device = device,
				     .port = port,
				     .code = said->code,
				     .fatal = said->fatal});
}

static void
each_of_port(
	const struct walk *walk, const struct port_entry *port, const struct counter_list *counters)
{
	const enum check state_check = check_state(port->layer);
	struct standing condition = {
		.check = check_degradation(port->layer),
		.device = port->device,
		.port = port->number,
		.code = CODE_RATE_BELOW_PEERS,
	};

	report_of(walk, &port->state_said, state_check, port->device, port->number);
	report_of(walk, &port->gone_said, state_check, port->device, port->number);
	if (port->rate.memory == BELOW_REPORTED)
		report(walk, condition);
	if (port->flap.flapping) {
		condition.code = CODE_LINK_FLAP;
		condition.flap = &port->flap;
		report(walk, condition);
		condition.flap = NULL;
	}
	for (size_t i = 0; i < port->counter_count; i++) {
		const struct counter_memory *memory = &port->counters[i];
		condition.code = counters->items[i].name;
		if (memory->saturation == SATURATION_REPORTED) {
			condition.word = CODE_SATURATED;
			report(walk, condition);
			condition.word = NULL;
		}
		if (memory->breached)
			report(walk, (struct standing){.check = memory->breach.check,
					     .device = port->device,
					     .port = port->number,
					     .code = memory->breach.uncoded ? "" : condition.code,
					     .fatal = memory->breach.fatal,
					     .counter = condition.code,
					     .memory = memory});
	}
}

enum check
standing_check_of_orphan(const struct state *state, const struct orphan *orphan)
{
	if (orphan->breach.check != CHECK_N)
		return orphan->breach.check;
	const struct port_entry *port = state_find_port(state, orphan->device, orphan->port);
	return check_degradation(port != NULL ? port->layer : LAYER_INFINIBAND);
}

void
standing_each(const struct state *state, const struct counter_list *counters,
	void (*tell)(const struct standing *condition, void *context), void *context)
{
	const struct walk walk = {tell, context};

	table_foreach (&state->ports, const struct port_entry, port)
		each_of_port(&walk, port, counters);
	table_foreach (&state->devices, const struct device_entry, device) {
		enum check check = check_state(device->layer);
		report_of(&walk, &device->gone_said, check, device->node.key, 0);
		report_of(&walk, &device->unreadable_said, check, device->node.key, 0);
	}
	table_foreach (&state->planes, const struct plane_entry, plane) {
		report_of(&walk, &plane->said, check_state(plane->layer), plane->device,
			plane->number);
	}
	table_foreach (&state->cards, const struct card_entry, card) {
		report_of(&walk, &card->said, check_state(card->layer), card->card, 0);
	}
	table_foreach (&state->chardevs, const struct chardev_entry, chardev) {
		report_of(
			&walk, &chardev->said, CHECK_IB_CHARDEV, chardev->device, chardev->number);
	}
	for (const struct orphan *orphan = state->orphans; orphan != NULL; orphan = orphan->next)
		report(&walk, (struct standing){.check = standing_check_of_orphan(state, orphan),
				      .device = orphan->device,
				      .port = orphan->port,
				      .code = orphan->breach.uncoded ? "" : orphan->name,
				      .word = orphan->saturated ? CODE_SATURATED : NULL,
				      .fatal = !orphan->saturated && orphan->breach.fatal});
}

struct count {
	enum check check;
	const char *device;
	size_t count;
};

static void
count(const struct standing *condition, void *context)
{
	struct count *wanted = context;
	wanted->count += (wanted->check == CHECK_N || condition->check == wanted->check) &&
			 (wanted->device == NULL || strcmp(condition->device, wanted->device) == 0);
}

size_t
standing_count(const struct state *state, const struct counter_list *counters, enum check check,
	const char *device)
{
	struct count wanted = {.check = check, .device = device};
	standing_each(state, counters, count, &wanted);
	return wanted.count;
}
