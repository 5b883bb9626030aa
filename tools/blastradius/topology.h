/* topology - which ports of which nodes hang on which switch. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_TOPOLOGY_H
#define BLASTRADIUS_TOPOLOGY_H

#include "map.h"

/* Most ports of all nodes that are known, and most switches. */
#define TOPOLOGY_PORTS_MAX 1048576
#define TOPOLOGY_SWITCHES_MAX 65536

/* What hangs on a switch. */
struct topology_port {
	const char *node;
	const char *device; /* RDMA device or network interface; "": all of the node's */
	const char *port;   /* its number; "": all of the device's */
};

/* A port, or all of a device's or node's. */
struct topology_entry {
	size_t place; /* index of its switch */
	char key[];   /* the three texts, each with its NUL */
};

struct topology_node {
	size_t *places; /* its switches, each once */
	size_t count, capacity;
	char name[];
};

/* All zeros: nothing is known. */
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

/* This hangs on the switch of that name; what was known of it before is replaced. 0, or -1 with
 * errno: ENOMEM, or ENOSPC when there are too many ports or switches. */
int topology_add(struct topology *topology, const struct topology_port *port, const char *name);

/* The name of a port's switch, by its device, else by the device's network interface `netdev`,
 * which may be NULL. A node that is not known by its name is looked for by the part of it before
 * the first dot. NULL: not known. */
const char *topology_find(
	const struct topology *topology, const struct topology_port *port, const char *netdev);

/* The switches of a node; NULL: none is known. */
const struct topology_node *topology_find_node(const struct topology *topology, const char *node);

void topology_fini(struct topology *topology);

#endif
