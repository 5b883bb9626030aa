/* ranks - ranks switches, nodes or ports of a fleet, most faults first. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETVIEW_RANKS_H
#define FLEETVIEW_RANKS_H

#include "../blastradius/topology.h"
#include "board.h"

/* How long an event counts as recent. */
#define RANKS_RECENT_US (UINT64_C(3600) * 1000000)

enum ranks_kind { RANKS_SWITCHES, RANKS_NODES, RANKS_PORTS, RANKS_KIND_N };

struct rank {
	const char *name;          /* of the switch or node */
	const char *device, *port; /* "" for switches and nodes */
	size_t nodes, ports;       /* with standing conditions */
	size_t standing, fatal;    /* standing conditions, and the fatal ones among them */
	size_t recent;             /* recent unhealthy events */
	uint64_t since_us;         /* start of the oldest standing condition; UINT64_MAX: none */
	const struct board_condition *worst; /* the oldest fatal condition, else the oldest */
	const struct board_node *node;       /* the node counted last */
};

/* All zeros: empty. Its pointers belong to the board and the topology, and are valid until these
 * change. */
struct ranks {
	struct rank *items;
	size_t count, capacity;
	struct map by_key;
};

/* Rank all that have standing conditions or unhealthy events within the hour before `now_us`. A
 * switch is the one that an event blames, or the port's switch in the topology. Return 0, or -1
 * when memory ran out; call ranks_fini() in both cases. spec#fleet-order */
int ranks_make(struct ranks *out, enum ranks_kind kind, const struct board *board,
	const struct topology *topology, uint64_t now_us);

/* Return the switch that an event blames, or to which its port is connected; NULL if unknown. */
const char *ranks_switch(
	const struct topology *topology, const char *node, const struct sighting *event);

void ranks_fini(struct ranks *ranks);

#endif
