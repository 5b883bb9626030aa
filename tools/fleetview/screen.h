/* screen - a fleet for people: how much stands, and the switches, nodes and ports with the most of
 * it. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETVIEW_SCREEN_H
#define FLEETVIEW_SCREEN_H

#include "ranks.h"

#include <stdbool.h>
#include <stdio.h>

/* As wide as a place is that does not say how wide it is. */
#define SCREEN_COLUMNS 132

struct screen_style {
	unsigned columns; /* no line is longer */
	unsigned rows;    /* no more lines; 0: as many as there are */
	bool colour;
	bool redraw; /* in the place of the one before */
};

/* 0, or -1 with errno: memory ran out, or ENOTSUP and the like of `out`. */
int screen_print(const struct board *board, const struct topology *topology, uint64_t now_us,
	const struct screen_style *style, FILE *out);

#endif
