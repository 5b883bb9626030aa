/* standing - the open conditions: everything that was reported and not yet withdrawn. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STANDING_H
#define CTREVAL_STANDING_H

#include "counters.h"
#include "state.h"

/* One open condition. Its strings belong to the state or are constants. */
struct standing {
	enum check check;
	const char *device; /* entity NIC: a device's name or a card's PCI address */
	long long port;     /* entity NICPort; 0: none */
	const char *code;   /* errorCode; "": reported without one */
	const char *word;   /* second errorCode; nullable */
	bool fatal;
	/* For a breach of a watched counter: the counter's name and memory. */
	const char *counter;                 /* nullable */
	const struct counter_memory *memory; /* nullable */
	const struct flap_memory *flap;      /* for a flapping link; nullable */
};

/* Call `tell` for each open condition, in no particular order. `counters` are the counters that the
 * state was made for. */
void standing_each(const struct state *state, const struct counter_list *counters,
	void (*tell)(const struct standing *condition, void *context), void *context);

/* Return the check that reported an orphaned breach or saturation; if unknown, the degradation
 * check of the port's link layer. */
enum check standing_check_of_orphan(const struct state *state, const struct orphan *orphan);

/* Count the open conditions of a check (CHECK_N: any) about a device and its ports, or a card
 * (NULL: any). */
size_t standing_count(const struct state *state, const struct counter_list *counters,
	enum check check, const char *device);

#endif
