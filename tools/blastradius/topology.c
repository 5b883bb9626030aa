/* topology - which port of which node is connected to which switch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "topology.h"

#include "array.h"
#include "hash.h"
#include "rec.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t
hash_port(const struct topology_port *port)
{
	uint64_t hash = hash_text(HASH_START, port->node);
	hash = hash_text(hash, port->device);
	return hash_text(hash, port->port);
}

static bool
is_port(const struct topology_entry *entry, const struct topology_port *port)
{
	const char *node = entry->key, *device = node + strlen(node) + 1;
	return strcmp(node, port->node) == 0 && strcmp(device, port->device) == 0 &&
	       strcmp(device + strlen(device) + 1, port->port) == 0;
}

static struct topology_entry *
find_entry(const struct topology *topology, const struct topology_port *port)
{
	uint64_t hash = hash_port(port);
	for (size_t step = 0, i; (i = map_next(&topology->by_port, hash, &step)) != MAP_END;)
		if (is_port(topology->entries[i], port))
			return topology->entries[i];
	return NULL;
}

static struct topology_node *
find_node(const struct topology *topology, const char *name)
{
	uint64_t hash = hash_text(HASH_START, name);
	for (size_t step = 0, i; (i = map_next(&topology->by_node, hash, &step)) != MAP_END;)
		if (strcmp(topology->nodes[i]->name, name) == 0)
			return topology->nodes[i];
	return NULL;
}

/* Return the index of the switch of that name and add it if it is new; MAP_END with errno. */
static size_t
find_or_add_switch(struct topology *topology, const char *name)
{
	uint64_t hash = hash_text(HASH_START, name);
	for (size_t step = 0, i; (i = map_next(&topology->by_switch, hash, &step)) != MAP_END;)
		if (strcmp(topology->switches[i], name) == 0)
			return i;
	if (topology->switch_count == TOPOLOGY_SWITCHES_MAX) {
		errno = ENOSPC;
		return MAP_END;
	}
	char **switches = array_grown(topology->switches, topology->switch_count,
		&topology->switch_capacity, sizeof *switches);
	if (switches == NULL)
		return MAP_END;
	topology->switches = switches;
	char *copy = strdup(name);
	if (copy == NULL || map_add(&topology->by_switch, hash, topology->switch_count) < 0) {
		free(copy);
		return MAP_END;
	}
	switches[topology->switch_count] = copy;
	return topology->switch_count++;
}

/* Return NULL with errno. */
static struct topology_node *
find_or_add_node(struct topology *topology, const char *name)
{
	struct topology_node *node = find_node(topology, name);
	if (node != NULL)
		return node;
	struct topology_node **nodes = array_grown(topology->nodes, topology->node_count,
		&topology->node_capacity, sizeof(struct topology_node *));
	if (nodes == NULL)
		return NULL;
	topology->nodes = nodes;
	size_t length = strlen(name);
	node = calloc(1, sizeof *node + length + 1);
	if (node == NULL || map_add(&topology->by_node, hash_text(HASH_START, name),
				    topology->node_count) < 0) {
		free(node);
		return NULL;
	}
	memcpy(node->name, name, length);
	nodes[topology->node_count++] = node;
	return node;
}

static int
add_place(struct topology *topology, const char *name, size_t place)
{
	struct topology_node *node = find_or_add_node(topology, name);
	if (node == NULL)
		return -1;
	for (size_t i = 0; i < node->count; i++)
		if (node->places[i] == place)
			return 0;
	size_t *places =
		array_grown(node->places, node->count, &node->capacity, sizeof *node->places);
	if (places == NULL)
		return -1;
	node->places = places;
	places[node->count++] = place;
	return 0;
}

static struct topology_entry *
entry_new(const struct topology_port *port)
{
	const char *const texts[] = {port->node, port->device, port->port};
	size_t length = strlen(port->node) + strlen(port->device) + strlen(port->port) + 3;
	struct topology_entry *entry = malloc(sizeof *entry + length);
	char *at = entry != NULL ? entry->key : NULL;
	for (size_t i = 0; at != NULL && i < ARRAY_COUNT(texts); i++)
		at = stpcpy(at, texts[i]) + 1;
	return entry;
}

static int
add_entry(struct topology *topology, const struct topology_port *port, size_t place)
{
	struct topology_entry *entry = find_entry(topology, port);
	if (entry != NULL) {
		entry->place = place;
		return 0;
	}
	if (topology->entry_count == TOPOLOGY_PORTS_MAX) {
		errno = ENOSPC;
		return -1;
	}
	struct topology_entry **entries = array_grown(topology->entries, topology->entry_count,
		&topology->entry_capacity, sizeof(struct topology_entry *));
	if (entries == NULL)
		return -1;
	topology->entries = entries;
	entry = entry_new(port);
	if (entry == NULL ||
		map_add(&topology->by_port, hash_port(port), topology->entry_count) < 0) {
		free(entry);
		return -1;
	}
	entry->place = place;
	entries[topology->entry_count++] = entry;
	return 0;
}

int
topology_add(struct topology *topology, const struct topology_port *port, const char *name)
{
	size_t place = find_or_add_switch(topology, name);
	if (place == MAP_END || add_entry(topology, port, place) < 0)
		return -1;
	return add_place(topology, port->node, place);
}

const struct topology_node *
topology_find_node(const struct topology *topology, const char *node)
{
	char label[REC_NODE_MAX_BYTES + 1];
	const struct topology_node *found = find_node(topology, node);
	size_t length = strcspn(node, ".");
	if (found != NULL || node[length] == '\0' || length >= sizeof label)
		return found;
	memcpy(label, node, length);
	label[length] = '\0';
	return find_node(topology, label);
}

const char *
topology_find_added(const struct topology *topology, const struct topology_port *port)
{
	const struct topology_entry *entry = find_entry(topology, port);
	return entry != NULL ? topology->switches[entry->place] : NULL;
}

const char *
topology_find(const struct topology *topology, const struct topology_port *port, const char *netdev)
{
	const struct topology_node *node = topology_find_node(topology, port->node);
	if (node == NULL)
		return NULL;
	const struct topology_port ways[] = {
		{node->name, port->device, port->port},
		{node->name, port->device, ""},
		{node->name, text_or_empty(netdev), ""},
		{node->name, "", ""},
	};
	for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
		const char *name = topology_find_added(topology, &ways[i]);
		if (name != NULL)
			return name;
	}
	return NULL;
}

void
topology_fini(struct topology *topology)
{
	for (size_t i = 0; i < topology->switch_count; i++)
		free(topology->switches[i]);
	for (size_t i = 0; i < topology->entry_count; i++)
		free(topology->entries[i]);
	for (size_t i = 0; i < topology->node_count; i++) {
		free(topology->nodes[i]->places);
		free(topology->nodes[i]);
	}
	free(topology->switches);
	free(topology->entries);
	free(topology->nodes);
	map_fini(&topology->by_switch);
	map_fini(&topology->by_port);
	map_fini(&topology->by_node);
}
