/* nodes - each node's events by themselves: their time, what was found in them, and the stream of
 * what is said of it. */
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
	struct event_stream stream;
	bool has_begun; /* the stream has its name */
	char name[];    /* "": that of events without one */
};

struct nodes {
	const struct rules *rules;
	uint64_t lateness_us;
	const char *strategy; /* of what is found */
	/* 0, or -1 with errno */
	int (*write)(void *context, const char *line, size_t length);
	void *context;
	struct groups_budget budget;
	struct node **items;
	size_t count, capacity;
	struct map by_name;
	uint64_t refused; /* events of more nodes than there may be */
};

/* Takes in an event of that moment, microseconds since 1970, and writes what is found. 0, or -1
 * with errno: ENOMEM, or what `write` said. */
int nodes_accept(struct nodes *nodes, uint64_t at_us, json_t *event);

/* There are no more events: evaluates what is left. 0, or -1 as above. */
int nodes_end(struct nodes *nodes);

/* Events that came too late. */
uint64_t nodes_late(const struct nodes *nodes);

void nodes_fini(struct nodes *nodes);

#endif
