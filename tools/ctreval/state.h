/* state - what ctreval remembers of ports and their counters. */
#ifndef CTREVAL_STATE_H
#define CTREVAL_STATE_H

#include "counter.h"
#include "port.h"

#include <stddef.h>

/* One port's memory. Found by device and number, which make up its key. */
struct port_entry {
	struct port_entry *next; /* in its bucket */
	char *device;
	long long number;
	enum port_memory health;
	struct counter_memory
		counters[]; /* one for each configured counter, in the configuration's order */
};

struct state {
	size_t counter_count;
	struct port_entry **buckets;
	size_t bucket_count; /* a power of two */
	size_t port_count;
};

/* For `counter_count` counters per port. 0, or -1 when memory runs out. Free with state_fini(). */
int state_init(struct state *state, size_t counter_count);

void state_fini(struct state *state);

/* The port's entry, made if there was none. NULL when memory runs out. */
struct port_entry *state_port(struct state *state, const char *device, long long number);

#endif
