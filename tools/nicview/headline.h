/* headline - the line that says how the node is. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_HEADLINE_H
#define NICVIEW_HEADLINE_H

#include "rows.h"

#define HEADLINE_SIZE 512

/* `gpu-42 2026-01-02 03:04:05Z 18 NICs, 18 ports: 1 problem, 1 unclear`, at most `columns` wide:
 * then the node's name is cut, and if that is not enough the time left out. Returns the worst mark
 * of the rows, ROW_MARK_NONE only when all is well. */
enum row_mark headline_format(const struct scan *scan, const struct row_list *rows, size_t columns,
	char text[HEADLINE_SIZE]);

#endif
