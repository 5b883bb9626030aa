/* screen - prints the state of a fleet as tables: totals, and the switches, nodes and ports with
 * the most faults. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETVIEW_SCREEN_H
#define FLEETVIEW_SCREEN_H

#include "ranks.h"

#include <stdbool.h>
#include <stdio.h>

/* Width if the output has none. */
#define SCREEN_COLUMNS 132

struct screen_style {
	unsigned columns; /* maximum width of a line */
	unsigned rows;    /* maximum number of lines; 0: unlimited */
	bool colour;
	bool redraw; /* overwrite the previous screen */
};

/* Return 0, or -1 with errno when memory ran out or writing to `out` failed. */
int screen_print(const struct board *board, const struct topology *topology, uint64_t now_us,
	const struct screen_style *style, FILE *out);

#endif
