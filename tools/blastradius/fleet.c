/* fleet - nodes that sent events, ports with reports, and the switches that they are connected
 * to. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"

#include "array.h"
#include "hash.h"
#include "moment.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How long a search for an idle node is not repeated after one without success. */
#define FULL_US UINT64_C(1000000)

/* --- places --- */

struct place *
fleet_find_or_add_place(struct fleet *fleet, const char *name)
{
	uint64_t hash = hash_text(HASH_START, name);
	for (size_t step = 0, i; (i = map_next(&fleet->by_place, hash, &step)) != MAP_END;)
		if (strcmp(fleet->places[i]->name, name) == 0)
			return fleet->places[i];
	struct place **places = array_grown(
		fleet->places, fleet->place_count, &fleet->place_capacity, sizeof(struct place *));
	if (places == NULL)
		return NULL;
	fleet->places = places;
	struct place *place = calloc(1, sizeof *place + strlen(name) + 1);
	if (place == NULL)
		return NULL;
	strcpy(place->name, name);
	place->due.at_us = MOMENT_NEVER;
	place->due.rank = fleet->place_count;
	if (map_add(&fleet->by_place, hash, fleet->place_count) < 0 ||
		heap_add(&fleet->due, &place->due) < 0) {
		free(place);
		return NULL;
	}
	places[fleet->place_count++] = place;
	return place;
}

/* Return NULL when memory ran out. */
static struct member *
find_or_add_member(struct fleet *fleet, struct node *node, const char *name)
{
	struct place *place = fleet_find_or_add_place(fleet, name);
	if (place == NULL)
		return NULL;
	for (size_t i = 0; i < node->member_count; i++)
		if (node->members[i]->place == place)
			return node->members[i];
	struct member **members = array_grown(
		node->members, node->member_count, &node->member_capacity, sizeof(struct member *));
	if (members == NULL)
		return NULL;
	node->members = members;
	struct member *member = malloc(sizeof *member);
	if (member == NULL)
		return NULL;
	*member = (struct member){.place = place};
	place->seen += node->until.at_us != MOMENT_NEVER;
	members[node->member_count++] = member;
	return member;
}

/* --- nodes --- */

/* Return 0, or -1 when memory ran out. */
static int
add_members(struct fleet *fleet, struct node *node)
{
	const struct topology_node *known = topology_find_node(fleet->topology, node->name);
	if (known == NULL)
		return find_or_add_member(fleet, node, "") != NULL ? 0 : -1;
	for (size_t i = 0; i < known->count; i++) {
		const char *name = fleet->topology->switches[known->places[i]];
		if (find_or_add_member(fleet, node, name) == NULL)
			return -1;
	}
	return 0;
}

static void
free_node(struct node *node)
{
	while (node->held_count > 0)
		node_drop(node, node->held_count - 1);
	for (size_t i = 0; i < node->port_count; i++) {
		free(node->ports[i]->netdev);
		free(node->ports[i]);
	}
	for (size_t i = 0; i < node->member_count; i++)
		free(node->members[i]);
	free(node->held);
	free(node->ports);
	free(node->members);
	free(node);
}

struct node *
fleet_find(const struct fleet *fleet, const char *name)
{
	uint64_t hash = hash_text(HASH_START, name);
	for (size_t step = 0, i; (i = map_next(&fleet->by_node, hash, &step)) != MAP_END;)
		if (strcmp(fleet->nodes[i]->name, name) == 0)
			return fleet->nodes[i];
	return NULL;
}

/* Return true if nothing is known about a node, which is probably gone. */
static bool
is_idle(const struct node *node)
{
	bool is_idle = node->until.at_us == MOMENT_NEVER && node->held_count == 0;
	for (size_t i = 0; i < node->port_count && is_idle; i++)
		is_idle = !node->ports[i]->is_down && !node->ports[i]->is_suspect;
	for (size_t i = 0; i < node->member_count && is_idle; i++)
		is_idle = node->members[i]->recent == 0;
	return is_idle;
}

/* Remove a node; the last one takes its place. */
static void
drop_node(struct fleet *fleet, size_t index)
{
	struct node *node = fleet->nodes[index];
	size_t last = --fleet->node_count;
	uint64_t last_hash = hash_text(HASH_START, fleet->nodes[last]->name);
	map_remove(&fleet->by_node, hash_text(HASH_START, node->name), index);
	heap_remove(&fleet->until, &node->until);
	free_node(node);
	if (index == last)
		return;
	map_remove(&fleet->by_node, last_hash, last);
	fleet->nodes[index] = fleet->nodes[last];
	/* Cannot fail: the entry just removed left room. */
	(void)map_add(&fleet->by_node, last_hash, index);
}

/* Make room for a node. The search takes a while, so a failed one is not repeated at once. Return
 * false if no node is idle. */
static bool
make_room(struct fleet *fleet)
{
	if (fleet->now_us < fleet->full_until_us)
		return false;
	for (size_t i = 0; i < fleet->node_count; i++) {
		if (is_idle(fleet->nodes[i])) {
			drop_node(fleet, i);
			return true;
		}
	}
	fleet->full_until_us = moment_later(fleet->now_us, FULL_US);
	return false;
}

struct node *
fleet_find_or_add(struct fleet *fleet, const char *name)
{
	struct node *node = fleet_find(fleet, name);
	if (node != NULL)
		return node;
	if (fleet->node_count == FLEET_NODES_MAX && !make_room(fleet)) {
		errno = ENOSPC;
		return NULL;
	}
	struct node **nodes = array_grown(
		fleet->nodes, fleet->node_count, &fleet->node_capacity, sizeof(struct node *));
	if (nodes == NULL)
		return NULL;
	fleet->nodes = nodes;
	node = calloc(1, sizeof *node + strlen(name) + 1);
	if (node == NULL)
		return NULL;
	strcpy(node->name, name);
	node->until.at_us = MOMENT_NEVER;
	node->until.rank = fleet->node_count;
	if (add_members(fleet, node) < 0 || heap_add(&fleet->until, &node->until) < 0) {
		free_node(node);
		return NULL;
	}
	if (map_add(&fleet->by_node, hash_text(HASH_START, name), fleet->node_count) < 0) {
		heap_remove(&fleet->until, &node->until);
		free_node(node);
		return NULL;
	}
	nodes[fleet->node_count++] = node;
	return node;
}

void
fleet_hear(struct fleet *fleet, struct node *node, uint64_t at_us)
{
	uint64_t until_us = moment_later(at_us, FLEET_SEEN_US);
	bool was_there = node->until.at_us != MOMENT_NEVER;
	if (was_there && until_us <= node->until.at_us)
		return;
	heap_move(&fleet->until, &node->until, until_us);
	for (size_t i = 0; i < node->member_count; i++)
		node->members[i]->place->seen += !was_there;
}

void
fleet_advance(struct fleet *fleet, uint64_t now_us)
{
	struct heap_node *first;
	fleet->now_us = now_us;
	while ((first = heap_due(&fleet->until, now_us)) != NULL) {
		const struct node *node = (const struct node *)first;
		heap_move(&fleet->until, first, MOMENT_NEVER);
		for (size_t i = 0; i < node->member_count; i++)
			node->members[i]->place->seen--;
	}
}

/* --- ports --- */

static struct port *
port_new(const char *device, const char *number, const char *netdev)
{
	size_t length = strlen(device) + strlen(number) + 2;
	struct port *port = calloc(1, sizeof *port + length);
	if (port == NULL)
		return NULL;
	if (netdev != NULL && *netdev != '\0' && (port->netdev = strdup(netdev)) == NULL) {
		free(port);
		return NULL;
	}
	port->device = port->texts;
	port->number = strcpy(stpcpy(port->texts, device) + 1, number);
	return port;
}

struct port *
fleet_find_or_add_port(struct fleet *fleet, struct node *node, const char *device,
	const char *number, const char *netdev)
{
	const struct topology_port key = {node->name, device, number};
	for (size_t i = 0; i < node->port_count; i++)
		if (strcmp(node->ports[i]->device, device) == 0 &&
			strcmp(node->ports[i]->number, number) == 0)
			return node->ports[i];
	if (node->port_count == FLEET_PORTS_MAX) {
		errno = ENOSPC;
		return NULL;
	}
	struct port **ports = array_grown(
		node->ports, node->port_count, &node->port_capacity, sizeof(struct port *));
	if (ports == NULL)
		return NULL;
	node->ports = ports;
	const char *name = topology_find(fleet->topology, &key, netdev);
	struct member *member = find_or_add_member(fleet, node, text_or_empty(name));
	struct port *port = member != NULL ? port_new(device, number, netdev) : NULL;
	if (port == NULL)
		return NULL;
	port->node = node;
	port->member = member;
	ports[node->port_count++] = port;
	return port;
}

void
port_set_down(struct port *port, bool is_down)
{
	struct member *member = port->member;
	if (port->is_down == is_down)
		return;
	port->is_down = is_down;
	if (is_down)
		member->place->down += member->down++ == 0;
	else
		member->place->down -= --member->down == 0;
}

void
port_set_check(struct port *port, const char *check)
{
	*port->check = '\0';
	if (check != NULL && strlen(check) < sizeof port->check)
		strcpy(port->check, check);
}

int
fleet_set_netdev(struct fleet *fleet, struct port *port, const char *netdev)
{
	const struct topology_port key = {port->node->name, port->device, port->number};
	bool was_down = port->is_down;
	if (port->is_suspect || port->member->recent > 0)
		return 0;
	const char *name = topology_find(fleet->topology, &key, netdev);
	struct member *member = find_or_add_member(fleet, port->node, text_or_empty(name));
	if (member == NULL || (port->netdev = strdup(netdev)) == NULL)
		return -1;
	port_set_down(port, false);
	port->member = member;
	port_set_down(port, was_down);
	return 0;
}

/* --- suspects --- */

int
port_suspect(struct port *port)
{
	struct place *place = port->member->place;
	if (port->is_suspect)
		return 0;
	struct port **suspects = array_grown(place->suspects, place->suspect_count,
		&place->suspect_capacity, sizeof(struct port *));
	if (suspects == NULL)
		return -1;
	place->suspects = suspects;
	suspects[place->suspect_count++] = port;
	port->is_suspect = true;
	return 0;
}

void
place_acquit(struct place *place)
{
	for (size_t i = 0; i < place->suspect_count; i++)
		place->suspects[i]->is_suspect = false;
	place->suspect_count = 0;
}

/* --- held events --- */

struct held *
node_find_held(const struct node *node, const struct sighting *event)
{
	const char *id = event->fields[SIGHTING_ID];
	for (size_t i = 0; id != NULL && i < node->held_count; i++) {
		const char *own = node->held[i].event->fields[SIGHTING_ID];
		if (own != NULL && strcmp(own, id) == 0)
			return &node->held[i];
	}
	return NULL;
}

int
node_hold(struct node *node, struct sighting *event)
{
	if (node->held_count == FLEET_HELD_MAX)
		node_drop(node, 0);
	struct held *held =
		array_grown(node->held, node->held_count, &node->held_capacity, sizeof *node->held);
	if (held == NULL)
		return -1;
	node->held = held;
	held[node->held_count++] = (struct held){.event = sighting_hold(event)};
	return 0;
}

void
node_drop(struct node *node, size_t index)
{
	sighting_release(node->held[index].event);
	memmove(node->held + index, node->held + index + 1,
		(--node->held_count - index) * sizeof *node->held);
}

int
fleet_compare_latest(const void *a, const void *b)
{
	const struct port *const *first = a, *const *second = b;
	return ((*first)->last_us > (*second)->last_us) - ((*first)->last_us < (*second)->last_us);
}

void
fleet_fini(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->node_count; i++)
		free_node(fleet->nodes[i]);
	for (size_t i = 0; i < fleet->place_count; i++) {
		free(fleet->places[i]->recent);
		free(fleet->places[i]->suspects);
		free(fleet->places[i]);
	}
	free(fleet->nodes);
	free(fleet->places);
	map_fini(&fleet->by_node);
	map_fini(&fleet->by_place);
	heap_fini(&fleet->until);
	heap_fini(&fleet->due);
}
