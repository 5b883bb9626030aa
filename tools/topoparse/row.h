/* row - one line of the matrix: a label, a level word per column, and for a GPU its affinity. */
#ifndef TOPOPARSE_ROW_H
#define TOPOPARSE_ROW_H

#include "header.h"

#include <stdint.h>

struct row {
	size_t line;    /* 0: the text has no such row */
	uint8_t *cells; /* one level per column, from malloc */
	int numa_node;  /* of a GPU; -1: unknown */
	bool is_bare; /* it ends behind its cells, with less than the tabs that would keep the affinities' places */
};

/* Which column a line is the row of, by its first word, which may have cells glued to it. `*cells` is what follows the label.
 * SIZE_MAX when it is no column's. */
size_t row_find(const struct header *header, struct text_span line, struct text_span *cells);

/* Parses what follows the label of row `index`. On TOPO_OK free row->cells. */
enum topo_status row_parse(const struct header *header, size_t index, const struct text_line *line,
	struct text_span text, struct row *row, struct topo_error *error);

#endif
