/* ranks - switches, nodes or ports of a fleet, those with the most trouble first. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETVIEW_RANKS_H
#define FLEETVIEW_RANKS_H

#include "../blastradius/topology.h"
#include "board.h"

/* Events count as recent for so long. */
#define RANKS_RECENT_US (UINT64_C(3600) * 1000000)

enum ranks_kind { RANKS_SWITCHES, RANKS_NODES, RANKS_PORTS, RANKS_KIND_N };

struct rank {
	const char *name;          /* of the switch or node */
	const char *device, *port; /* "": none, as of switches and nodes */
	size_t nodes, ports;       /* about which something stands */
	size_t standing, fatal;    /* conditions; those of them that are fatal */
	size_t recent;             /* unhealthy events */
	uint64_t since_us;         /* since when the oldest condition stands; UINT64_MAX: none */
	const struct board_condition *worst; /* the oldest of those that are fatal, else of all */
	const struct board_node *node;       /* the last that was counted */
};

/* All zeros: empty. What it points to is the board's and the topology's, until they change. */
struct ranks {
	struct rank *items;
	size_t count, capacity;
	struct map by_key;
};

/* Of all about which something stands, or has happened within the hour before `now_us`. A switch is
 * one that is blamed, or what the topology says of a port. 0, or -1 when memory ran out;
 * ranks_fini() in both cases. spec#fleet-order */
int ranks_make(struct ranks *out, enum ranks_kind kind, const struct board *board,
	const struct topology *topology, uint64_t now_us);

/* The switch that an event blames, or that what it is about hangs on; NULL: it is not known. */
const char *ranks_switch(
	const struct topology *topology, const char *node, const struct sighting *event);

void ranks_fini(struct ranks *ranks);

#endif
