/* lldp - parses the output of `lldpcli -f json show neighbors`, which lists the switch of each
 * network interface of a node:
 *
 *  {"lldp": {"interface": [{"ens1f0np0": {"chassis": {"leaf1": {...}}, ...}}, ...]}}
 *
 * A single interface is not in an array. The chassis of a switch without a name has its `id` in
 * place of the inner object. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"
#include "rec.h"

#include <string.h>

struct reader {
	struct topology *topology;
	const char *node;
	struct layout_trouble *trouble;
};

/* Return the switch's name, else its id, or NULL. */
static const char *
name_switch(const json_t *chassis)
{
	const json_t *id = json_object_get(chassis, "id");
	if (id != NULL)
		return json_string_value(json_object_get(id, "value"));
	return json_object_iter_key(json_object_iter((json_t *)chassis));
}

/* If an interface sees several switches, use the first. Return false for another one. */
static bool
is_clear(const struct reader *reader, const struct topology_port *port, const char *name)
{
	const char *before = topology_find_added(reader->topology, port);
	return before == NULL || strcmp(before, name) == 0;
}

static int
accept_interfaces(const struct reader *reader, const json_t *interfaces)
{
	const char *netdev;
	json_t *neighbor;
	json_object_foreach ((json_t *)interfaces, netdev, neighbor) {
		const struct topology_port port = {
			.node = reader->node, .device = netdev, .port = ""};
		const char *name = name_switch(json_object_get(neighbor, "chassis"));
		if (name == NULL || *name == '\0')
			layout_pass_over(reader->trouble, 0, "an interface without a chassis");
		else if (!is_clear(reader, &port, name))
			layout_pass_over(reader->trouble, 0, "an interface with several switches");
		else if (topology_add(reader->topology, &port, name) < 0)
			return -1;
	}
	return 0;
}

int
layout_read_lldp(struct topology *topology, const char *node, const char *text,
	struct layout_trouble *trouble)
{
	const struct reader reader = {topology, node, trouble};
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	const json_t *list = json_object_get(json_object_get(root, "lldp"), "interface");
	int status = 0;
	if (json_is_object(list))
		status = accept_interfaces(&reader, list);
	else if (!json_is_array(list) && json_object_get(root, "lldp") == NULL)
		layout_pass_over(trouble, 0, "not output of lldpcli -f json");
	for (size_t i = 0; i < json_array_size(list) && status == 0; i++)
		status = accept_interfaces(&reader, json_array_get(list, i));
	json_decref(root);
	return status;
}
