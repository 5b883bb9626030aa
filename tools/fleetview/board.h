/* board - standing conditions and recent events of a fleet's nodes. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETVIEW_BOARD_H
#define FLEETVIEW_BOARD_H

#include "map.h"
#include "sighting.h"

/* How long an event is kept after its condition ended. */
#define BOARD_DAY_US (UINT64_C(86400) * 1000000)

/* Limits: nodes, event streams, conditions of a node, events kept (some 700 bytes each). Ten
 * thousand nodes with three streams each are far below. */
#define BOARD_NODES_MAX 65536
#define BOARD_STREAMS_MAX (4 * (size_t)BOARD_NODES_MAX)
#define BOARD_CONDITIONS_MAX 512
#define BOARD_EVENTS_MAX 131072

/* An unhealthy event, perhaps repeated, without a healthy answer. */
struct board_condition {
	struct sighting *event; /* the latest; if any is fatal, the latest fatal one */
	uint64_t since_us, latest_us, times;
};

struct board_node {
	struct board_condition *conditions; /* see board_stands() */
	size_t count, capacity;
	uint64_t heard_us; /* time of its latest event */
	bool is_switch;    /* a switch that blastradius blamed */
	char name[];
};

/* An unhealthy event. */
struct board_event {
	uint64_t at_us;
	const struct board_node *node;
	struct sighting *event;
};

/* A stream of events. Its reader repeats a part of it after it lost something. */
struct board_stream {
	uint64_t seq;  /* of its latest event */
	uint64_t turn; /* board->turns at that event */
	char name[];
};

/* All zeros: empty. */
struct board {
	struct board_node **nodes;
	size_t node_count, node_capacity;
	struct map by_node;
	struct board_event *events; /* in order of arrival */
	size_t event_count, event_capacity;
	struct board_stream **streams;
	size_t stream_count, stream_capacity;
	struct map by_stream;
	uint64_t turns;         /* events so far */
	uint64_t newest_us;     /* time of the newest event */
	uint64_t full_until_us; /* do not look for idle nodes before then */
	uint64_t left_out;      /* events dropped for lack of room */
};

/* Apply an event observed at `at_us`, unless it is a repeat. Holds a reference to it. Return 0, or
 * -1 when memory ran out. spec#fleet-board */
int board_accept(struct board *board, struct sighting *event, uint64_t at_us);

/* Return whether a condition is active at `now_us`, not before its latest event: one of the
 * kernel's log that is not fatal ends with time. spec#fleet-board */
bool board_stands(const struct board_condition *condition, uint64_t now_us);

/* Return the node, or NULL if it sent no event. */
const struct board_node *board_find_node(const struct board *board, const char *name);

/* Return the switch that an event blames, or the fabric if no switches are known; NULL for other
 * events. */
const char *board_switch(const struct sighting *event);

/* Return the device and port of an event, "" for none. */
const char *board_device(const struct sighting *event);
const char *board_port(const struct sighting *event);

void board_fini(struct board *board);

#endif
