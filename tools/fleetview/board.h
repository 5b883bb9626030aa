/* board - what the events of a fleet's nodes have said: what stands, and what has happened within a
 * day. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETVIEW_BOARD_H
#define FLEETVIEW_BOARD_H

#include "map.h"
#include "sighting.h"

/* For how long an event that stands no longer is kept. */
#define BOARD_DAY_US (UINT64_C(86400) * 1000000)

/* Most nodes, streams of events, conditions of a node that stand, and events that are kept: 700
 * bytes each or so. Ten thousand nodes of three streams each are far below that. */
#define BOARD_NODES_MAX 65536
#define BOARD_STREAMS_MAX (4 * (size_t)BOARD_NODES_MAX)
#define BOARD_CONDITIONS_MAX 512
#define BOARD_EVENTS_MAX 131072

/* Something that stands: an unhealthy event, which may have come several times, and no healthy one
 * that answers it. */
struct board_condition {
	struct sighting *event; /* the latest */
	uint64_t since_us, latest_us, times;
};

struct board_node {
	struct board_condition *conditions;
	size_t count, capacity;
	uint64_t heard_us; /* when it observed its latest event */
	bool is_switch;    /* blastradius has blamed it */
	char name[];
};

/* An unhealthy event. */
struct board_event {
	uint64_t at_us;
	const struct board_node *node;
	struct sighting *event;
};

/* A stream of events, which comes again from somewhere on when its reader has lost something. */
struct board_stream {
	uint64_t seq; /* of its latest event */
	char name[];
};

/* All zeros: nothing has been heard. */
struct board {
	struct board_node **nodes;
	size_t node_count, node_capacity;
	struct map by_node;
	struct board_event *events; /* as they came */
	size_t event_count, event_capacity;
	struct board_stream **streams;
	size_t stream_count, stream_capacity;
	struct map by_stream;
	uint64_t newest_us; /* the latest that any event was observed */
	uint64_t left_out;  /* what there was no room for */
};

/* Takes over what an event says, observed at `at_us`, unless it has come before. Keeps it as a
 * holder of its own. 0, or -1 when memory ran out. spec#fleet-board */
int board_accept(struct board *board, struct sighting *event, uint64_t at_us);

/* NULL: it has not been heard of. */
const struct board_node *board_find_node(const struct board *board, const char *name);

/* The switch that an event blames, or the fabric where no switches are known; NULL: none. */
const char *board_switch(const struct sighting *event);

/* The device and port that an event is about, "" for none. */
const char *board_device(const struct sighting *event);
const char *board_port(const struct sighting *event);

void board_fini(struct board *board);

#endif
