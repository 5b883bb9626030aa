/* matrix - the lines of the text: header, rows, legend, and what belongs to none of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_MATRIX_H
#define TOPOPARSE_MATRIX_H

#include "row.h"

/* What the NIC Legend calls a column. */
struct legend_entry {
	struct text_span name;
	size_t line; /* 0: nothing */
};

/* The text, taken apart; the spans are parts of it. */
struct matrix {
	struct header header;
	struct matrix_row rows[TOPO_MAX_COLUMNS];
	struct legend_entry legend[TOPO_MAX_COLUMNS];
};

/* Longest line, and most lines: room for more columns than a matrix may have, and a bound for the
 * time that it takes. */
#define MATRIX_LINE_MAX_BYTES ((size_t)64 << 10)
#define MATRIX_LINES_MAX ((size_t)64 << 10)

/* Reads a cleaned text into `matrix`, which is all zero. Free with matrix_fini(), whatever it
 * returns. */
enum topo_status matrix_read(
	struct matrix *matrix, struct text_span text, struct topo_error *error);

void matrix_fini(struct matrix *matrix);

#endif
