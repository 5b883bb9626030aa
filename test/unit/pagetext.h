/* pagetext - formats a metrics page as text, for unit tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAGETEXT_H
#define PAGETEXT_H

#include "metricspage.h"

#include <stdio.h>

/* Return all shown series, `name{labels} value` a line. */
static inline const char *
pagetext(const struct metrics_page *page)
{
	static char text[8192];
	struct metrics_sample sample;
	size_t length = 0;
	*text = '\0';
	for (size_t at = 0; metrics_page_next(page, &at, &sample);) {
		char value[METRICS_VALUE_SIZE];
		metrics_format_value(&sample, value);
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %s\n",
			sample.family, sample.tail, value);
	}
	return text;
}

#endif
