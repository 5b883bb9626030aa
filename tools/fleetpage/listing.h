/* listing - what stands about a node or a switch, and what has happened there. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETPAGE_LISTING_H
#define FLEETPAGE_LISTING_H

#include "charts.h"

/* Most events that are shown, the newest. */
#define LISTING_EVENTS 200

struct listing_standing {
	const struct board_node *node;
	const struct board_condition *condition;
};

struct listing {
	struct listing_standing *standing; /* the fatal ones first, then the oldest */
	size_t standing_count, standing_capacity;
	const struct board_event **events; /* the newest first */
	size_t event_count, event_capacity;
};

/* Of what is chosen. 0, or -1 when memory ran out; listing_fini() in both cases. What it points to
 * is the board's, until that changes. */
int listing_make(struct listing *out, const struct charts_choice *choice, const struct board *board,
	const struct topology *topology);

/* As tables. */
void listing_put_standing(struct strbuf *page, const struct listing *listing,
	const struct topology *topology, uint64_t now_us);
void listing_put_events(struct strbuf *page, const struct listing *listing);

void listing_fini(struct listing *listing);

#endif
