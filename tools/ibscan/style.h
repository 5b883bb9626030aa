/* style - what the place where a table goes can show: how wide and how high it is, and whether it has colours. */
#ifndef IBSCAN_STYLE_H
#define IBSCAN_STYLE_H

#include "table.h"

/* For what is written to this descriptor, -1 for a file. Width: $COLUMNS, else the terminal's, else TABLE_COLUMNS. Colours on a
 * terminal, unless $NO_COLOR is set and not empty (no-color.org) or $TERM is missing or `dumb`. With `again` there will be more
 * tables: on a terminal that can do it each takes the place of the one before, and as many rows as there are. */
struct table_style table_style_of(int fd, bool again);

#endif
