/* listing - lists the conditions and events of a node or switch. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETPAGE_LISTING_H
#define FLEETPAGE_LISTING_H

#include "charts.h"

/* Events shown, the newest. */
#define LISTING_EVENTS 200

struct listing_standing {
	const struct board_node *node;
	const struct board_condition *condition;
};

struct listing {
	struct listing_standing *standing; /* fatal ones first, then oldest first */
	size_t standing_count, standing_capacity;
	const struct board_event **events; /* newest first */
	size_t event_count, event_capacity;
};

/* Collect what the choice includes, with the conditions that are active at `now_us`. Return 0, or
 * -1 when memory ran out; call listing_fini() in both cases. The pointers belong to the board and
 * are valid until it changes. */
int listing_make(struct listing *out, const struct charts_choice *choice, const struct board *board,
	const struct topology *topology, uint64_t now_us);

/* Append a table of the conditions, and one of the events. */
void listing_put_standing(struct strbuf *page, const struct listing *listing,
	const struct topology *topology, uint64_t now_us);
void listing_put_events(struct strbuf *page, const struct listing *listing);

void listing_fini(struct listing *listing);

#endif
