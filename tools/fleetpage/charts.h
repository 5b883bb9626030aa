/* charts - pictures of a fleet, as SVG within a page: what has happened within a day, and how each
 * node is. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETPAGE_CHARTS_H
#define FLEETPAGE_CHARTS_H

#include "../fleetview/ranks.h"
#include "strbuf.h"

#include <stdbool.h>

/* Which events are meant: of that node, or about that switch; NULL: of or about any. */
struct charts_choice {
	const char *node, *place;
};

/* Whether an event of a node is meant. */
bool charts_chooses(const struct charts_choice *choice, const struct topology *topology,
	const char *node, const struct sighting *event);

/* The unhealthy events within the day before `now_us`: fatal ones and others, as bars, the newest
 * at the right. */
void charts_day(struct strbuf *page, const struct charts_choice *choice, const struct board *board,
	const struct topology *topology, uint64_t now_us);

/* A square for each node, in the order of their names: those about which something stands lead to
 * their pages. False when memory ran out. */
bool charts_nodes(struct strbuf *page, const struct board *board);

#endif
