/* report - prints the differences for people. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICDIFF_REPORT_H
#define NICDIFF_REPORT_H

#include "compare.h"

#include <stdio.h>

/* Print the two scans, and the rows of compare_new() below their devices and ports. Return 0, or -1
 * when memory ran out. */
int report_print(
	const struct scan *before, const struct scan *after, const json_t *rows, FILE *out);

#endif
