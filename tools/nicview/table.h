/* table - prints a scan as a table: a summary line, and a row per port, problems first. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_TABLE_H
#define NICVIEW_TABLE_H

#include "scan.h"
#include "terminal.h"

#include <stdio.h>

/* Default, minimum and maximum width of a table. */
#define TABLE_COLUMNS 100
#define TABLE_COLUMNS_MIN TERMINAL_COLUMNS_MIN
#define TABLE_COLUMNS_MAX TERMINAL_COLUMNS_MAX

struct table_style {
	unsigned columns; /* maximum width of a line */
	unsigned rows;    /* maximum number of lines, with a count of omitted rows; 0: unlimited */
	bool colour;
	bool redraw; /* overwrite the whole screen of a terminal */
};

/* Print a scan, which may be incomplete. Return 0, or -1 with errno when writing failed or memory
 * ran out. */
int table_print(const struct scan *scan, const struct table_style *style, FILE *out);

#endif
