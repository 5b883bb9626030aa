/* charts - draws charts of a fleet as SVG: the events of a day, and the state of each node.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETPAGE_CHARTS_H
#define FLEETPAGE_CHARTS_H

#include "../fleetview/ranks.h"
#include "strbuf.h"

#include <stdbool.h>

/* Selects the events of a node or about a switch; NULL: of any. */
struct charts_choice {
	const char *node, *place;
};

/* Return true if the choice includes an event of that node. */
bool charts_chooses(const struct charts_choice *choice, const struct topology *topology,
	const char *node, const struct sighting *event);

/* Draw the unhealthy events of the day before `now_us` as bars, fatal ones and others, newest on
 * the right. */
void charts_day(struct strbuf *page, const struct charts_choice *choice, const struct board *board,
	const struct topology *topology, uint64_t now_us);

/* Draw a square for each node, sorted by name. Nodes with conditions that are active at `now_us`
 * link to their pages. Return false when memory ran out. */
bool charts_nodes(struct strbuf *page, const struct board *board, uint64_t now_us);

#endif
