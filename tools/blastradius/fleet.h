/* fleet - the nodes that are heard of, those of their ports that something was said about, and the
 * switches on which they hang. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_FLEET_H
#define BLASTRADIUS_FLEET_H

#include "event.h"
#include "heap.h"
#include "map.h"
#include "sighting.h"
#include "topology.h"

/* Most nodes, ports of a node, and events that are kept of a node: of more, the latest. */
#define FLEET_NODES_MAX 65536
#define FLEET_PORTS_MAX 256
#define FLEET_HELD_MAX 256

/* Whoever has said something within this time is there, microseconds. */
#define FLEET_SEEN_US (UINT64_C(3600) * 1000000)

struct port;

/* What ports share: a switch; or, where nobody knows on which they hang, the whole fabric. */
struct place {
	struct heap_node due;
	size_t seen; /* of its nodes that are there */
	size_t down; /* nodes with a port that is down */
	/* reports of its ports within the last seconds, oldest first, from `first_recent` on */
	struct report *recent;
	size_t first_recent, recent_count, recent_capacity;
	size_t recent_nodes; /* how many nodes these are of */
	struct port **suspects;
	size_t suspect_count, suspect_capacity;
	/* what has been found of it, see suspects.h */
	unsigned stage;
	uint64_t first_us;      /* moment of the oldest report for which it was found */
	uint64_t last_us;       /* of the latest report */
	size_t seen_then;       /* nodes that were there */
	char id[EVENT_ID_SIZE]; /* of the event that says so, "": not said yet */
	char name[];            /* of the switch; "": it is not known */
};

/* A node at a place. */
struct member {
	struct place *place;
	size_t recent, down; /* its reports, and its ports that are down */
};

struct report {
	uint64_t at_us;
	struct port *port;
};

struct port {
	struct node *node;
	struct member *member;
	uint64_t last_us;            /* of the latest report */
	char last_id[EVENT_ID_SIZE]; /* its id, or "" */
	bool is_down;
	bool is_suspect; /* its place's `suspects` has it */
	const char *device, *number;
	const char *netdev; /* "": not known */
	char texts[];       /* these three */
};

/* An event of which nothing may come yet. */
struct held {
	struct sighting *event;
	struct port *port; /* the suspect because of which; NULL: that is to be decided yet */
};

struct node {
	struct heap_node until; /* when it is there no longer; UINT64_MAX: it is not */
	struct member **members;
	size_t member_count, member_capacity;
	struct port **ports;
	size_t port_count, port_capacity;
	struct held *held; /* oldest first */
	size_t held_count, held_capacity;
	char name[];
};

struct fleet {
	const struct topology *topology; /* not owned */
	struct node **nodes;
	size_t node_count, node_capacity;
	struct map by_node;
	struct place **places;
	size_t place_count, place_capacity;
	struct map by_place;
	struct heap until; /* nodes */
	struct heap due;   /* places */
};

/* The node of that name; NULL: there is none. */
struct node *fleet_find(const struct fleet *fleet, const char *name);

/* The node of that name, which is added if it is new. NULL with errno: ENOMEM, or ENOSPC when there
 * are too many. */
struct node *fleet_find_or_add(struct fleet *fleet, const char *name);

/* The node was heard of at that moment. */
void fleet_hear(struct fleet *fleet, struct node *node, uint64_t at_us);

/* Nodes that were not heard of for long are not there any more. */
void fleet_advance(struct fleet *fleet, uint64_t now_us);

/* A port of the node, which is added if it is new; `netdev` may be NULL. NULL as above. */
struct port *fleet_find_or_add_port(struct fleet *fleet, struct node *node, const char *device,
	const char *number, const char *netdev);

/* The port is down, or is not. */
void port_set_down(struct port *port, bool is_down);

/* The place of that name, which is added if it is new. NULL when memory ran out. */
struct place *fleet_find_or_add_place(struct fleet *fleet, const char *name);

/* The port is one of its place's suspects from now on, or none any more. 0, or -1 when memory ran
 * out. */
int port_suspect(struct port *port);
void place_acquit(struct place *place);

/* Keeps an event. 0, or -1 when memory ran out. */
int node_hold(struct node *node, struct sighting *event);

/* The same event, by its id; NULL: it is not kept. */
struct held *node_find_held(const struct node *node, const struct sighting *event);

/* Gives one back. */
void node_drop(struct node *node, size_t index);

void fleet_fini(struct fleet *fleet);

#endif
