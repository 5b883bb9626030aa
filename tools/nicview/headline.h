/* headline - formats the summary line of a node. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_HEADLINE_H
#define NICVIEW_HEADLINE_H

#include "rows.h"

#define HEADLINE_SIZE 512

/* Format `gpu-42 2026-01-02 03:04:05Z 18 NICs, 18 ports: 1 problem, 1 unclear` within `columns`:
 * shorten the node's name, then drop the date, then the time. Return the worst mark of the rows,
 * ROW_MARK_NONE only if all is well. */
enum row_mark headline_format(const struct scan *scan, const struct row_list *rows, size_t columns,
	char text[HEADLINE_SIZE]);

#endif
