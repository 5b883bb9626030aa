/* told - the states of ports as records had them last. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "told.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for a device's name and a port's number, and for a port's states. */
#define NAME_SIZE (NAME_MAX + 12)
#define STATES_SIZE (3 * IBSCAN_TEXT_SIZE + 4)

struct told {
	json_t *states; /* "DEVICE/PORT" -> states as one text */
};

struct told *
told_new(void)
{
	struct told *told = calloc(1, sizeof *told);
	if (told == NULL)
		return NULL;
	told->states = json_object();
	if (told->states == NULL) {
		free(told);
		return NULL;
	}
	return told;
}

void
told_free(struct told *told)
{
	if (told == NULL)
		return;
	json_decref(told->states);
	free(told);
}

static void
name_port(char name[NAME_SIZE], const char *device, const struct port *port)
{
	snprintf(name, NAME_SIZE, "%s/%u", device, port->number);
}

static void
print_states(char text[STATES_SIZE], const struct port *port)
{
	const struct text_value *const values[] = {
		&port->state, &port->phys_state, &port->operstate};
	size_t used = 0;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		used += (size_t)snprintf(text + used, STATES_SIZE - used, "%s\n",
			values[i]->present ? values[i]->text : "");
	snprintf(text + used, STATES_SIZE - used, "%s",
		!port->has_carrier ? "-"
		: port->carrier    ? "1"
				   : "0");
}

bool
told_is_new(const struct told *told, const char *device, const struct port *port)
{
	char name[NAME_SIZE], text[STATES_SIZE];

	name_port(name, device, port);
	print_states(text, port);
	const char *before = json_string_value(json_object_get(told->states, name));
	return before == NULL || strcmp(before, text) != 0;
}

void
told_note(struct told *told, const char *device, const struct port *port)
{
	char name[NAME_SIZE], text[STATES_SIZE];

	if (told == NULL || !told_is_new(told, device, port))
		return;
	name_port(name, device, port);
	print_states(text, port);
	json_object_set_new(told->states, name, json_string(text));
}
