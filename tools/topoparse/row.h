/* row - one line of the matrix: a label, a level word per column, which says how near two devices
 * are to each other, and for a GPU its affinity. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_ROW_H
#define TOPOPARSE_ROW_H

#include "header.h"
#include "text.h"

#include <stdint.h>

/* NV<n> is LEVEL_NV + n, n from 1 to 99: a GPU has at most 18 NVLinks so far
 * (NVML_NVLINK_MAX_LINKS, nvml.h). With three digits or more, cells have been glued together. */
enum level {
	LEVEL_NONE,
	LEVEL_X,
	LEVEL_PIX,
	LEVEL_PXB,
	LEVEL_PHB,
	LEVEL_NODE,
	LEVEL_SYS,
	LEVEL_NV = 100,
};

/* The level word that the span begins with: its length, 0 when there is none. No level word is the
 * beginning of another one, and none begins with a digit, so that glued words have only one
 * meaning; but the digits after NV are all its own. */
size_t row_level_parse(struct text_span span, uint8_t *level);

/* True when the span is one level word or several glued together; also when an affinity, which
 * begins with a digit, or N/A follows. */
bool row_level_is_cells(struct text_span span);

/* The word, in `buffer` where it has a number. */
const char *row_level_text(uint8_t level, char buffer[8]);

struct matrix_row {
	size_t line;    /* 0: the text has no such row */
	uint8_t *cells; /* one level per column, from malloc */
	int numa_node;  /* of a GPU; -1: unknown */
	/* it ends after its cells, with less than the tabs that would keep the affinities'
	 * places */
	bool is_bare;
};

/* Which column a line is the row of, by its first word, which may have cells glued to it. `*cells`
 * is what follows the label. SIZE_MAX when it is no column's. */
size_t row_find(const struct header *header, struct text_span line, struct text_span *cells);

/* Parses what follows the label of row `index`. On TOPO_OK free row->cells. */
enum topo_status row_parse(const struct header *header, size_t index, const struct text_line *line,
	struct text_span text, struct matrix_row *row, struct topo_error *error);

#endif
