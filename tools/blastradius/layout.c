/* layout - shared by the parsers of topology files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

void
layout_pass_over(struct layout_trouble *trouble, size_t line, const char *reason)
{
	if (trouble->count++ > 0)
		return;
	trouble->line = line;
	trouble->reason = reason;
}
