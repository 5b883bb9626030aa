/* row - parses a row of the matrix: a label, a level word per column, which is the distance between
 * two devices, and a GPU's affinity. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_ROW_H
#define TOPOPARSE_ROW_H

#include "header.h"
#include "text.h"

#include <stdint.h>

/* NV<n> is LEVEL_NV + n, n from 1 to 99: a GPU has at most 18 NVLinks so far
 * (NVML_NVLINK_MAX_LINKS, nvml.h). Three digits or more are cells glued together. */
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

/* Parse the level word at the start of the span. Return its length, or 0 if there is none. No level
 * word is the beginning of another one, and none begins with a digit, so glued words are
 * unambiguous; all digits after NV belong to it. */
size_t row_level_parse(struct text_span span, uint8_t *level);

/* Return true if the span is one or more level words glued together, which N/A or an affinity (it
 * begins with a digit) may follow. */
bool row_level_is_cells(struct text_span span);

/* Return the word: a static string, or `buffer` for NV<n>. */
const char *row_level_text(uint8_t level, char buffer[8]);

struct matrix_row {
	size_t line;    /* 0: no such row */
	uint8_t *cells; /* one level per column, from malloc */
	int numa_node;  /* of a GPU; -1: unknown */
	/* ends after its cells, with fewer tabs than there are affinity columns */
	bool is_bare;
};

/* Return the index of the column whose row the line is, by its first word, which may have cells
 * glued to it; SIZE_MAX if there is none. Set `*cells` to the text after the label. */
size_t row_find(const struct header *header, struct text_span line, struct text_span *cells);

/* Parse the text after the label of row `index`. On TOPO_OK the caller frees row->cells. */
enum topo_status row_parse(const struct header *header, size_t index, const struct text_line *line,
	struct text_span text, struct matrix_row *row, struct topo_error *error);

#endif
