/* table - a scan for people: a line that says how the node is, and a row per port, problems
 * first. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_TABLE_H
#define NICVIEW_TABLE_H

#include "scan.h"
#include "terminal.h"

#include <stdio.h>

/* How wide a table is where nothing says otherwise, and at least. */
#define TABLE_COLUMNS 100
#define TABLE_COLUMNS_MIN TERMINAL_COLUMNS_MIN
#define TABLE_COLUMNS_MAX TERMINAL_COLUMNS_MAX

struct table_style {
	unsigned columns; /* no line is longer */
	unsigned rows;    /* no more lines than this, what is left out is counted; 0: all */
	bool colour;
	bool redraw; /* it takes the whole screen of a terminal, and the place of what was there */
};

/* Prints the scan, which need not be whole. 0, or -1 with errno when writing failed or memory ran
 * out. */
int table_print(const struct scan *scan, const struct table_style *style, FILE *out);

#endif
