/* cells - formats a row's columns as text that is safe for a terminal. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_CELLS_H
#define NICVIEW_CELLS_H

#include "rows.h"

enum column {
	COLUMN_DEVICE,
	COLUMN_PORT,
	COLUMN_PCI,
	COLUMN_ROLE,
	COLUMN_LINK,
	COLUMN_STATE,
	COLUMN_PHYS,
	COLUMN_RATE,
	COLUMN_LANES,
	COLUMN_NETDEV,
	COLUMN_OPER,
	COLUMN_N,
};

/* Size of any cell; longer texts are cut. */
#define CELL_SIZE 65

/* Return the column's header. */
const char *cell_header(enum column column);

/* Return true for columns of numbers, which are aligned right. */
bool cell_is_number(enum column column);

/* Format a cell; `-` if it is empty. `brief`: use the column's shorter form if it has one. Only
 * printable ASCII: other bytes become \xNN, so that each byte has one column in any locale and no
 * record can control the terminal. Return `text`. */
char *cell_text(const struct row *row, enum column column, bool brief, char text[CELL_SIZE]);

/* Escape a text like a cell, cut to `size`. Return `out`. */
char *cell_escape(const char *text, char *out, size_t size);

/* Replace the middle of a text that is too long, because names differ least there: `mlx5_a~12`.
 * Return `text`. */
char *cell_shorten(char *text, size_t width);

#endif
