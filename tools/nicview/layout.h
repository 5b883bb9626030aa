/* layout - how wide each column is, and which are left out where there is no room for all. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_LAYOUT_H
#define NICVIEW_LAYOUT_H

#include "cells.h"

/* Narrower than this a table cannot be: longer lines are then cut by whoever prints them. */
#define LAYOUT_MARK_WIDTH 2

/* How wide the columns would be, header included. 0: nobody has anything to show there. */
struct layout_wish {
	size_t full[COLUMN_N], brief[COLUMN_N];
	size_t remarks; /* with everything in its row */
	/* below this a row's remarks go under it, which is no loss but a line */
	size_t remarks_least;
};

struct layout {
	bool brief[COLUMN_N];
	size_t width[COLUMN_N]; /* 0: left out */
	size_t gap;             /* between columns */
	size_t remarks;         /* what is left for remarks; may be 0 */
};

/* A place for everything within `columns`. */
void layout_fit(const struct layout_wish *wish, size_t columns, struct layout *layout);

#endif
