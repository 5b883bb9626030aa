/* standing - all that was said and not yet taken back: what every receiver of the events is to
 * believe. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STANDING_H
#define CTREVAL_STANDING_H

#include "counters.h"
#include "state.h"

/* One condition. Strings are the state's, or constants. */
struct standing {
	enum check check;
	const char *device; /* entity NIC: a device's name or a card's PCI address */
	long long port;     /* entity NICPort; 0: none */
	const char *code;   /* errorCode; "": it was said without one */
	const char *word;   /* second errorCode; nullable */
	bool fatal;
	/* Of a counter in breach that is watched: which one, and what is known of it. */
	const char *counter;                 /* nullable */
	const struct counter_memory *memory; /* nullable */
	const struct flap_memory *flap;      /* of a link that flaps; nullable */
};

/* Calls `tell` for each condition that stands, in no particular order. `counters` are those that
 * the state was made for. */
void standing_each(const struct state *state, const struct counter_list *counters,
	void (*tell)(const struct standing *condition, void *context), void *context);

/* The check under which a breach or saturation stands whose counter nobody watches; where it is not
 * known, that of the port's link layer. */
enum check standing_check_of_orphan(const struct state *state, const struct orphan *orphan);

/* How many stand under the check (CHECK_N: under any), about this device and its ports, or this
 * card; NULL: about anything. */
size_t standing_count(const struct state *state, const struct counter_list *counters,
	enum check check, const char *device);

#endif
