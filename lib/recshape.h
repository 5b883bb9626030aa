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

struct recshape_integer {
	int64_t value;
	size_t at; /* place of its 0 in the shape's text */
};

/* All zeros: ready for the first record. */
struct recshape {
	/* The record's text with 0 for each integer and an empty `ts`. Two records of one shape are
	 * either both valid JSON or both not. */
	struct strbuf text;
	struct recshape_integer *integers; /* in the order of the text */
	size_t count, capacity;
	size_t strings; /* number of keys and texts */
	const char *ts; /* points into the record's text; NULL: none */
	size_t ts_length;
	size_t ts_at;    /* its place in `text` */
	size_t ts_index; /* number of integers before it */
};

/* Split a record, which need not be JSON. Integers of more than 18 digits stay in the shape. Return
 * false if the text cannot be split so simply, as with a `\`, or when out of memory. */
bool recshape_read(struct recshape *shape, const char *line, size_t length);

/* Read the integers and the time stamp of another record into its shape. Return false, with both of
 * them undefined, unless the record has this shape, which recshape_read() filled in. This takes a
 * fifth of the time of recshape_read(). */
bool recshape_match(struct recshape *shape, const char *line, size_t length);

void recshape_fini(struct recshape *shape);

#endif
