/* nodes - keeps the events of each node separate and in order, with their engine and event stream.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_NODES_H
#define CORRELATE_NODES_H

#include "engine.h"
#include "order.h"

/* Maximum number of nodes. */
#define NODES_MAX 65536

struct nodes;

struct node {
	struct nodes *nodes;
	struct order order;
	struct engine engine;
	/* stream of the node's derived events, if each node has one: then the order of the nodes
	 * does not matter */
	struct event_stream stream;
	bool has_begun;    /* the stream has a name */
	uint64_t heard_us; /* time of the event accepted last; 0: none since the start */
	/* array of checks whose earlier findings are lost, so that an event must end them; NULL:
	 * none */
	json_t *owed;
	char name[]; /* "": events without a node */
};

struct nodes {
	const struct rules *rules;
	uint64_t lateness_us, wait_us; /* see order.h */
	uint64_t last_us;              /* hold back later events until nodes_jump() */
	const char *strategy;          /* of the streams */
	bool owes_all;                 /* a new node owes all checks */
	size_t owing;                  /* nodes with owed checks */
	/* return 0, or -1 with errno */
	int (*found)(void *context, struct node *node, const struct finding *finding);
	void *context;
	struct groups_budget budget;
	struct node **items;
	size_t count, capacity;
	struct map by_name;
	uint64_t full_until_us; /* no idle node was found: do not search again before then */
	uint64_t late;          /* events that arrived too late */
	uint64_t refused;       /* events of nodes beyond NODES_MAX */
};

/* Accept an event of the time `at_us`, microseconds since 1970, and report findings. Return 0, or
 * -1 with errno: ENOMEM, or that of `found`. */
int nodes_accept(struct nodes *nodes, uint64_t at_us, struct sighting *event);

/* Advance the time to `now_us` even without events. Return 0, or -1 as above. */
int nodes_advance(struct nodes *nodes, uint64_t now_us);

/* Continue at `to_us` after a clock jump from `from_us`: evaluate all events before `from_us`, see
 * engine_jump(). Later events are no longer held back. Return 0, or -1 as above. */
int nodes_jump(struct nodes *nodes, uint64_t from_us, uint64_t to_us);

/* Return when something is due if no event comes before; MOMENT_NEVER if nothing is. */
uint64_t nodes_next_us(const struct nodes *nodes);

/* Evaluate the remaining events at the end of the input. Return 0, or -1 as above. */
int nodes_end(struct nodes *nodes);

/* See engine_report_open(). */
int nodes_report_open(struct nodes *nodes);

/* Return the node with this name ("": events without a node) and add it if it is new. NULL with
 * errno: ENOMEM, or ENOSPC if there are too many. */
struct node *nodes_find_or_add(struct nodes *nodes, const char *name);

/* Add a check to the node's `owed`. Return 0, or -1 when memory ran out. */
int node_owe(struct node *node, const char *check);

/* Clear the node's `owed`, whose events were sent. */
void node_settle_owed(struct node *node);

/* Remove all nodes. */
void nodes_clear(struct nodes *nodes);

void nodes_fini(struct nodes *nodes);

#endif
