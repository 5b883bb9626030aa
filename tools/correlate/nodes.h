/* nodes - each node's events by themselves: their time, what was found in them, and the stream of
 * what is said of it. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_NODES_H
#define CORRELATE_NODES_H

#include "engine.h"
#include "order.h"

/* Most nodes. */
#define NODES_MAX 65536

struct nodes;

struct node {
	struct nodes *nodes;
	struct order order;
	struct engine engine;
	/* what is said of it, if each node has a stream: then it does not matter in which order the
	 * nodes come */
	struct event_stream stream;
	bool has_begun; /* the stream has its name */
	/* array of checks of which is to be said that what was found before is not known any more;
	 * NULL: there are none */
	json_t *owed;
	char name[]; /* "": that of events without one */
};

struct nodes {
	const struct rules *rules;
	uint64_t lateness_us, wait_us; /* see order.h */
	uint64_t last_us;              /* later events wait, whatever comes: for nodes_jump() */
	const char *strategy;          /* of the streams */
	bool owes_all;                 /* of a new node all checks are owed */
	size_t owing;                  /* nodes of which some are */
	/* 0, or -1 with errno */
	int (*found)(void *context, struct node *node, const struct finding *finding);
	void *context;
	struct groups_budget budget;
	struct node **items;
	size_t count, capacity;
	struct map by_name;
	uint64_t late;    /* events that came too late */
	uint64_t refused; /* those of more nodes than there may be */
};

/* Takes in an event of that moment, microseconds since 1970, and reports what is found. 0, or
 * -1 with errno: ENOMEM, or what `found` said. */
int nodes_accept(struct nodes *nodes, uint64_t at_us, struct sighting *event);

/* Time has come to `now_us`, whether or not events have. 0, or -1 as above. */
int nodes_advance(struct nodes *nodes, uint64_t now_us);

/* Time goes on at `to_us`, and nobody knows what was between that and `from_us`: all events before
 * are evaluated, see engine_jump(). Later ones need wait no longer. 0, or -1 as above. */
int nodes_jump(struct nodes *nodes, uint64_t from_us, uint64_t to_us);

/* When something is due if no event comes before; MOMENT_NEVER: nothing is. */
uint64_t nodes_next_us(const struct nodes *nodes);

/* There are no more events: evaluates what is left. 0, or -1 as above. */
int nodes_end(struct nodes *nodes);

/* See engine_report_open(). */
int nodes_report_open(struct nodes *nodes);

/* The node of that name, "" for events without one, which is added if it is new. NULL with errno:
 * ENOMEM, or ENOSPC when there are too many. */
struct node *nodes_find_or_add(struct nodes *nodes, const char *name);

/* What was found before of that check is to be taken back, see `owed`. 0, or -1 when memory ran
 * out. */
int node_owe(struct node *node, const char *check);

/* Forgets all nodes. */
void nodes_clear(struct nodes *nodes);

void nodes_fini(struct nodes *nodes);

#endif
