/* matrix - finds the header, the rows and the legend among the lines of the text. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_MATRIX_H
#define TOPOPARSE_MATRIX_H

#include "row.h"

/* A column's name in the NIC Legend. */
struct legend_entry {
	struct text_span name;
	size_t line; /* 0: no entry */
};

/* The parsed text. Spans point into the text. */
struct matrix {
	struct header header;
	struct matrix_row rows[TOPO_MAX_COLUMNS];
	struct legend_entry legend[TOPO_MAX_COLUMNS];
};

/* Limits of a line's length and of the number of lines: room for more columns than a matrix may
 * have, and a bound on the parse time. */
#define MATRIX_LINE_MAX_BYTES ((size_t)64 << 10)
#define MATRIX_LINES_MAX ((size_t)64 << 10)

/* Parse a cleaned text into `matrix`, which must be all zeros. Call matrix_fini() after success and
 * failure. */
enum topo_status matrix_read(
	struct matrix *matrix, struct text_span text, struct topo_error *error);

void matrix_fini(struct matrix *matrix);

#endif
