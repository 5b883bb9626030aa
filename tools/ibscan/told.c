/* told - the port states that were written last. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "told.h"

#include "array.h"
#include "hash.h"
#include "map.h"

#include <stdlib.h>
#include <string.h>

struct told_port {
	char *device;
	unsigned number;
	uint64_t states; /* hash of the states' texts */
};

struct told {
	struct told_port *ports; /* never removed */
	size_t count, capacity;
	struct map map;
};

struct told *
told_new(void)
{
	return calloc(1, sizeof(struct told));
}

void
told_free(struct told *told)
{
	if (told == NULL)
		return;
	for (size_t i = 0; i < told->count; i++)
		free(told->ports[i].device);
	free(told->ports);
	map_fini(&told->map);
	free(told);
}

static uint64_t
hash_value(uint64_t hash, const struct text_value *value)
{
	return value->present ? hash_text(hash, value->text) : hash_words(hash, "", 0);
}

static uint64_t
hash_states(const struct port *port)
{
	const char *carrier = !port->has_carrier ? "-" : port->carrier ? "1" : "0";
	uint64_t hash = hash_value(HASH_START, &port->state);
	hash = hash_value(hash, &port->phys_state);
	hash = hash_value(hash, &port->operstate);
	return hash_words(hash, carrier, 1);
}

static uint64_t
hash_place(const char *device, unsigned number)
{
	return hash_words(hash_text(HASH_START, device), (const char *)&number, sizeof number);
}

/* Return NULL if none of its states were written. */
static struct told_port *
find(const struct told *told, const char *device, unsigned number)
{
	uint64_t hash = hash_place(device, number);
	for (size_t step = 0, i; (i = map_next(&told->map, hash, &step)) != MAP_END;) {
		struct told_port *port = &told->ports[i];
		if (port->number == number && strcmp(port->device, device) == 0)
			return port;
	}
	return NULL;
}

bool
told_is_new(const struct told *told, const char *device, const struct port *port)
{
	const struct told_port *before = find(told, device, port->number);
	return before == NULL || before->states != hash_states(port);
}

/* Remember a port. If memory runs out, its states count as new the next time, too. */
static void
add(struct told *told, const char *device, const struct port *port)
{
	struct told_port *ports =
		array_grown(told->ports, told->count, &told->capacity, sizeof *ports);
	if (ports == NULL)
		return;
	told->ports = ports;
	struct told_port *added = &ports[told->count];
	*added = (struct told_port){
		.device = strdup(device), .number = port->number, .states = hash_states(port)};
	if (added->device == NULL)
		return;
	if (map_add(&told->map, hash_place(device, port->number), told->count) < 0)
		free(added->device);
	else
		told->count++;
}

void
told_note(struct told *told, const char *device, const struct port *port)
{
	if (told == NULL)
		return;
	struct told_port *before = find(told, device, port->number);
	if (before != NULL)
		before->states = hash_states(port);
	else
		add(told, device, port);
}
