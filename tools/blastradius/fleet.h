/* fleet - nodes that sent events, ports with reports, and the switches that they are connected to.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_FLEET_H
#define BLASTRADIUS_FLEET_H

#include "event.h"
#include "heap.h"
#include "map.h"
#include "sighting.h"
#include "topology.h"

/* Limits: nodes, ports of a node, held events of a node (when full, the oldest is dropped). */
#define FLEET_NODES_MAX 65536
#define FLEET_PORTS_MAX 256
#define FLEET_HELD_MAX 256

/* Size of a check's name with its NUL; a longer one counts as not known. */
#define FLEET_CHECK_SIZE 64

/* A node is present for this long after its last event, us. */
#define FLEET_SEEN_US (UINT64_C(3600) * 1000000)

struct port;

/* What ports share: a switch, or the whole fabric for ports whose switch is unknown. */
struct place {
	struct heap_node due;
	size_t seen; /* its present nodes */
	size_t down; /* its nodes with a port that is down */
	/* reports of the last seconds, oldest first; they begin at `first_recent` */
	struct report *recent;
	size_t first_recent, recent_count, recent_capacity;
	size_t recent_nodes; /* number of nodes with reports among them */
	struct port **suspects;
	size_t suspect_count, suspect_capacity;
	/* a value of enum suspects_stage */
	unsigned stage;
	uint64_t first_us;      /* time of the oldest report that made a port suspect */
	uint64_t last_us;       /* time of the latest report */
	size_t seen_then;       /* present nodes when it was reported */
	char id[EVENT_ID_SIZE]; /* of the event that reports it; "": not reported yet */
	char name[];            /* of the switch; "": unknown */
};

/* A node at a place. */
struct member {
	struct place *place;
	size_t recent, down; /* recent reports of the node, and its ports that are down */
};

struct report {
	uint64_t at_us;
	struct port *port;
};

struct port {
	struct node *node;
	struct member *member;
	uint64_t last_us;            /* time of the latest report */
	char last_id[EVENT_ID_SIZE]; /* id of that report, or "" */
	bool is_down;
	char check[FLEET_CHECK_SIZE]; /* that reported it as down, or "" */
	bool is_suspect;              /* listed in the place's `suspects` */
	const char *device, *number;
	char *netdev; /* NULL: unknown */
	char texts[]; /* storage of device and number */
};

/* An event that may be held back. */
struct held {
	struct sighting *event;
	struct port *port; /* the suspect port; NULL: undecided */
};

struct node {
	struct heap_node until; /* when it stops being present; MOMENT_NEVER: absent */
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
	struct heap until; /* of nodes */
	struct heap due;   /* of places */
	uint64_t now_us;   /* of the latest fleet_advance() */
	/* too many nodes, and none of them is idle: do not look again before then */
	uint64_t full_until_us;
};

/* Return the node of that name, or NULL. */
struct node *fleet_find(const struct fleet *fleet, const char *name);

/* Return the node of that name and add it if it is new. If there are too many, it takes the place
 * of an absent one about which nothing is known. NULL with errno: ENOMEM, or ENOSPC if there is
 * none such. */
struct node *fleet_find_or_add(struct fleet *fleet, const char *name);

/* Record that the node sent an event at that time. */
void fleet_hear(struct fleet *fleet, struct node *node, uint64_t at_us);

/* Mark nodes without a recent event as absent. */
void fleet_advance(struct fleet *fleet, uint64_t now_us);

/* Return a port of the node and add it if it is new. `netdev` may be NULL. NULL with errno as
 * above. */
struct port *fleet_find_or_add_port(struct fleet *fleet, struct node *node, const char *device,
	const char *number, const char *netdev);

/* Record the port's network interface and look up its place again, unless a finding, made or still
 * possible, depends on its present place. Return 0, or -1 when memory ran out. */
int fleet_set_netdev(struct fleet *fleet, struct port *port, const char *netdev);

/* Record whether the port is down. */
void port_set_down(struct port *port, bool is_down);

/* Record the check that reported the port as down; NULL: not known. */
void port_set_check(struct port *port, const char *check);

/* Return the place of that name and add it if it is new. NULL when memory ran out. */
struct place *fleet_find_or_add_place(struct fleet *fleet, const char *name);

/* Add the port to the suspects of its place. Return 0, or -1 when memory ran out. place_acquit()
 * removes all suspects. */
int port_suspect(struct port *port);
void place_acquit(struct place *place);

/* Hold an event. Return 0, or -1 when memory ran out. */
int node_hold(struct node *node, struct sighting *event);

/* Find the held event with the same id; NULL if there is none. */
struct held *node_find_held(const struct node *node, const struct sighting *event);

/* Release a held event and remove it. */
void node_drop(struct node *node, size_t index);

/* For qsort() of an array of struct port *: the port whose latest report is oldest comes first. */
int fleet_compare_latest(const void *a, const void *b);

void fleet_fini(struct fleet *fleet);

#endif
