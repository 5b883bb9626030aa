/* cells - the texts of a row's columns, safe for a terminal. Pure. */
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

/* Room for any cell; longer ones are cut. */
#define CELL_SIZE 65

/* What is written above the column. */
const char *cell_header(enum column column);

/* True where numbers stand below each other. */
bool cell_is_number(enum column column);

/* The text of a cell, `-` where there is nothing; `brief` where the column has a shorter form.
 * Printable ASCII only: every other byte becomes \xNN, so that a byte is a column whatever the
 * locale, and nothing from a record can talk to the terminal. Returns `text`. */
char *cell_text(const struct row *row, enum column column, bool brief, char text[CELL_SIZE]);

/* The text made safe like a cell, cut where `size` ends. Returns `out`. */
char *cell_escape(const char *text, char *out, size_t size);

/* A text that is too long for its place loses its middle, where names differ least: `mlx5_a~12`.
 * Returns `text`. */
char *cell_shorten(char *text, size_t width);

#endif
