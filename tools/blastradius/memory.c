/* memory - encodes the state of the fleet as JSON, and decodes it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "moment.h"
#include "text.h"

#include <errno.h>
#include <string.h>

/* --- to JSON --- */

static json_t *
ports_new(const struct node *node)
{
	json_t *list = json_array();
	for (size_t i = 0; i < node->port_count; i++) {
		const struct port *port = node->ports[i];
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:b, s:s, s:b, s:o, s:s}", "device",
				      port->device, "port", port->number, "netdev",
				      text_or_empty(port->netdev), "down", port->is_down, "check",
				      port->check, "suspect", port->is_suspect, "last_us",
				      rec_u64_new(port->last_us), "last_id", port->last_id));
	}
	return list;
}

/* Write the port as its index in the list; null: undecided. */
static json_t *
held_new(const struct node *node)
{
	json_t *list = json_array();
	for (size_t i = 0; i < node->held_count; i++) {
		size_t port = 0;
		while (port < node->port_count && node->ports[port] != node->held[i].port)
			port++;
		json_array_append_new(
			list, json_pack("[o, o]",
				      port < node->port_count ? rec_u64_new(port) : json_null(),
				      sighting_encode_new(node->held[i].event)));
	}
	return list;
}

static json_t *
nodes_new(const struct fleet *fleet)
{
	json_t *list = json_array();
	for (size_t i = 0; i < fleet->node_count; i++) {
		const struct node *node = fleet->nodes[i];
		json_array_append_new(
			list, json_pack("{s:s, s:o, s:o, s:o}", "node", node->name, "until_us",
				      moment_encode_new(node->until.at_us, MOMENT_NEVER), "ports",
				      ports_new(node), "held", held_new(node)));
	}
	return list;
}

static json_t *
places_new(const struct fleet *fleet)
{
	json_t *list = json_array();
	for (size_t i = 0; i < fleet->place_count; i++) {
		const struct place *place = fleet->places[i];
		if (place->stage == SUSPECTS_NONE)
			continue;
		json_array_append_new(
			list, json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:s}", "name", place->name,
				      "stage", (int)place->stage, "due_us",
				      moment_encode_new(place->due.at_us, MOMENT_NEVER), "first_us",
				      rec_u64_new(place->first_us), "last_us",
				      rec_u64_new(place->last_us), "seen",
				      rec_u64_new(place->seen_then), "id", place->id));
	}
	return list;
}

json_t *
memory_encode_new(const struct suspects *suspects)
{
	return json_pack("{s:o, s:o, s:o}", "now_us", rec_u64_new(suspects->now_us), "nodes",
		nodes_new(&suspects->fleet), "places", places_new(&suspects->fleet));
}

/* --- from JSON --- */

static int
no_room(struct rec_error *error)
{
	return errno == ENOSPC ? rec_refuse(error, "too many nodes or ports")
			       : rec_lack_memory(error);
}

/* Return a string of the object if it fits into `size` bytes with its NUL, else NULL. */
static const char *
text_of(const json_t *object, const char *key, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text != NULL && strlen(text) < size ? text : NULL;
}

static int
decode_port(
	struct suspects *suspects, struct node *node, const json_t *json, struct rec_error *error)
{
	const char *device = text_of(json, "device", REC_EVENT_MAX_BYTES);
	const char *number = text_of(json, "port", REC_EVENT_MAX_BYTES);
	const char *netdev = text_of(json, "netdev", REC_EVENT_MAX_BYTES);
	const char *id = text_of(json, "last_id", EVENT_ID_SIZE);
	uint64_t last_us;
	bool is_down, is_suspect;
	if (device == NULL || number == NULL || netdev == NULL || id == NULL ||
		!moment_decode(json_object_get(json, "last_us"), &last_us) ||
		rec_get_bool(json, "down", &is_down) != REC_OK ||
		rec_get_bool(json, "suspect", &is_suspect) != REC_OK)
		return rec_refuse(error, "a malformed port");
	struct port *port = fleet_find_or_add_port(&suspects->fleet, node, device, number, netdev);
	if (port == NULL)
		return no_room(error);
	port->last_us = last_us;
	strcpy(port->last_id, id);
	port_set_down(port, is_down);
	/* Older versions do not store it. */
	port_set_check(port, text_of(json, "check", FLEET_CHECK_SIZE));
	return is_suspect && port_suspect(port) < 0 ? rec_lack_memory(error) : 0;
}

static int
decode_held(struct node *node, const json_t *json, struct rec_error *error)
{
	const json_t *index = json_array_get(json, 0), *record = json_array_get(json, 1);
	uint64_t port;
	bool is_decided = !json_is_null(index);
	if (!json_is_object(record) ||
		(is_decided && (rec_u64(index, &port) != REC_OK || port >= node->port_count)))
		return rec_refuse(error, "a malformed held-back event");
	struct sighting *event = sighting_new(record);
	int status = event != NULL ? node_hold(node, event) : -1;
	sighting_release(event);
	if (status < 0)
		return rec_lack_memory(error);
	if (is_decided)
		node->held[node->held_count - 1].port = node->ports[port];
	return 0;
}

static int
decode_node(struct suspects *suspects, const json_t *json, struct rec_error *error)
{
	const char *name = text_of(json, "node", REC_NODE_MAX_BYTES + 1);
	const json_t *ports = json_object_get(json, "ports"), *held = json_object_get(json, "held");
	uint64_t until_us;
	size_t i;
	const json_t *item;
	int status = 0;
	if (name == NULL || !moment_accept(json, "until_us", MOMENT_NEVER, &until_us) ||
		!json_is_array(ports) || !json_is_array(held))
		return rec_refuse(error, "a malformed node");
	struct node *node = fleet_find_or_add(&suspects->fleet, name);
	if (node == NULL)
		return no_room(error);
	if (until_us != MOMENT_NEVER)
		fleet_hear(&suspects->fleet, node, moment_earlier(until_us, FLEET_SEEN_US));
	json_array_foreach (ports, i, item)
		if ((status = decode_port(suspects, node, item, error)) < 0)
			return status;
	json_array_foreach (held, i, item)
		if ((status = decode_held(node, item, error)) < 0)
			return status;
	return 0;
}

static int
decode_place(struct suspects *suspects, const json_t *json, struct rec_error *error)
{
	const char *name = text_of(json, "name", REC_EVENT_MAX_BYTES);
	const char *id = text_of(json, "id", EVENT_ID_SIZE);
	uint64_t stage, due_us, first_us, last_us, seen;
	if (name == NULL || id == NULL || rec_get_u64(json, "stage", &stage) != REC_OK ||
		stage == SUSPECTS_NONE || stage >= SUSPECTS_STAGE_N ||
		!moment_accept(json, "due_us", MOMENT_NEVER, &due_us) ||
		!moment_decode(json_object_get(json, "first_us"), &first_us) ||
		!moment_decode(json_object_get(json, "last_us"), &last_us) ||
		rec_get_u64(json, "seen", &seen) != REC_OK || seen > FLEET_NODES_MAX)
		return rec_refuse(error, "a malformed place");
	struct place *place = fleet_find_or_add_place(&suspects->fleet, name);
	if (place == NULL)
		return rec_lack_memory(error);
	place->stage = (unsigned)stage;
	place->first_us = first_us;
	place->last_us = last_us;
	place->seen_then = (size_t)seen;
	strcpy(place->id, id);
	heap_move(&suspects->fleet.due, &place->due, due_us);
	return 0;
}

int
memory_decode(struct suspects *suspects, const json_t *root, struct rec_error *error)
{
	const json_t *nodes = json_object_get(root, "nodes");
	const json_t *places = json_object_get(root, "places");
	size_t i;
	const json_t *item;
	if (!json_is_array(nodes) || !json_is_array(places) ||
		!moment_decode(json_object_get(root, "now_us"), &suspects->now_us))
		return rec_refuse(error, "not a time, nodes and places");
	json_array_foreach (nodes, i, item)
		if (decode_node(suspects, item, error) < 0)
			return -1;
	json_array_foreach (places, i, item)
		if (decode_place(suspects, item, error) < 0)
			return -1;
	return suspects_restore(suspects) < 0 ? rec_lack_memory(error) : 0;
}
