/* topology - which port of which node is connected to which switch. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_TOPOLOGY_H
#define BLASTRADIUS_TOPOLOGY_H

#include "map.h"

/* Limits: ports of all nodes, switches. */
#define TOPOLOGY_PORTS_MAX 1048576
#define TOPOLOGY_SWITCHES_MAX 65536

/* A port, or all ports of a device or node. */
struct topology_port {
	const char *node;
	const char *device; /* RDMA device or network interface; "": all of the node */
	const char *port;   /* number; "": all of the device */
};

/* An entry of the table. */
struct topology_entry {
	size_t place; /* index of its switch */
	char key[];   /* the three texts, each with its NUL */
};

struct topology_node {
	size_t *places; /* indexes of its switches, each once */
	size_t count, capacity;
	char name[];
};

/* All zeros: empty. */
struct topology {
	char **switches;
	size_t switch_count, switch_capacity;
	struct map by_switch;
	struct topology_entry **entries;
	size_t entry_count, entry_capacity;
	struct map by_port;
	struct topology_node **nodes;
	size_t node_count, node_capacity;
	struct map by_node;
};

/* Add an entry: the port is connected to the switch `name`. Replaces an earlier entry of the port.
 * Return 0, or -1 with errno: ENOMEM, or ENOSPC if there are too many ports or switches. */
int topology_add(struct topology *topology, const struct topology_port *port, const char *name);

/* Return the name of a port's switch, by its device, else by the device's network interface
 * `netdev` (may be NULL), else by its node. NULL if unknown. A node that is not found by its name
 * is looked up by the part before the first dot. */
const char *topology_find(
	const struct topology *topology, const struct topology_port *port, const char *netdev);

/* Return the switch that topology_add() was given for exactly this port, or NULL. */
const char *topology_find_added(const struct topology *topology, const struct topology_port *port);

/* Return the switches of a node, or NULL if none is known. */
const struct topology_node *topology_find_node(const struct topology *topology, const char *node);

void topology_fini(struct topology *topology);

#endif
