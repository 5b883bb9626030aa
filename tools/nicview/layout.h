/* layout - fits the columns into the width of the table. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_LAYOUT_H
#define NICVIEW_LAYOUT_H

#include "cells.h"

/* Width of the mark at the start of a row. */
#define LAYOUT_MARK_WIDTH 2

/* Wanted widths of the columns with their headers. 0: empty column. */
struct layout_wish {
	size_t full[COLUMN_N], brief[COLUMN_N];
	size_t remarks; /* width of the remarks if each stays in its row */
	/* below this width, remarks move under their row, which costs only a line */
	size_t remarks_least;
};

struct layout {
	bool brief[COLUMN_N];
	size_t width[COLUMN_N]; /* 0: dropped */
	size_t gap;             /* between columns */
	size_t remarks;         /* width left for remarks; may be 0 */
};

/* Fit everything into `columns`. If even the narrowest layout is too wide, the caller cuts the
 * lines. */
void layout_fit(const struct layout_wish *wish, size_t columns, struct layout *layout);

#endif
