/* recshape - splits a record's text into its shape, its integers and its time stamp. Pure.
 *
 * Most records of a scan differ from those of the last scan only in their numbers. They have the
 * same shape, so that only the numbers need to be read (recall.h). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_RECSHAPE_H
#define NHM_RECSHAPE_H

#include "strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros: ready for the first record. */
struct recshape {
	/* The record's text with 0 for each integer and an empty `ts`. Two records of one shape are
	 * either both valid JSON or both not. */
	struct strbuf text;
	int64_t *integers; /* in the order of the text */
	size_t count, capacity;
	size_t strings; /* number of keys and texts */
	const char *ts; /* points into the record's text; NULL: none */
	size_t ts_length;
};

/* Split a record, which need not be JSON. Integers of more than 18 digits stay in the shape. Return
 * false if the text cannot be split so simply, as with a `\`, or when out of memory. */
bool recshape_read(struct recshape *shape, const char *line, size_t length);

void recshape_fini(struct recshape *shape);

#endif
