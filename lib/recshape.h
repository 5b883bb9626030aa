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
	size_t *integers; /* places of their 0 in `text`, in the order of the text */
	size_t count, capacity;
	size_t strings;  /* number of keys and texts */
	bool has_ts;     /* the record has a `ts` of its own */
	size_t ts_at;    /* its place in `text` */
	size_t ts_index; /* number of integers before it */
};

/* What a shape leaves out of a record. All zeros: ready for the first record. */
struct recshape_values {
	int64_t *integers; /* as many as the shape has, in the order of the text */
	size_t capacity;
	const char *ts; /* points into the record's text; undefined unless the shape has one */
	size_t ts_length;
};

/* Split a record, which need not be JSON. Integers of more than 18 digits stay in the shape. Return
 * false if the text cannot be split so simply, as with a `\`, or when out of memory. */
bool recshape_read(
	struct recshape *shape, struct recshape_values *values, const char *line, size_t length);

/* Read the values of another record. Return false, with the values undefined, unless the record has
 * this shape, or when out of memory. This takes a fifth of the time of recshape_read(). */
bool recshape_match(const struct recshape *shape, struct recshape_values *values, const char *line,
	size_t length);

void recshape_fini(struct recshape *shape);
void recshape_values_fini(struct recshape_values *values);

#endif
