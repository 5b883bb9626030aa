/* recshape - the text of a record without its numbers and its moment. Pure.
 *
 * Most records of a scan are those of the scan before, with other numbers: these have the same
 * shape, and whoever has seen one needs to read only the numbers of the next (recall.h). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_RECSHAPE_H
#define NHM_RECSHAPE_H

#include "strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros: ready for the first record. */
struct recshape {
	/* The record's text, in which each integer is 0, and `ts` empty. Two records of one shape
	 * are both JSON, or neither is. */
	struct strbuf text;
	int64_t *integers; /* in the order of the text */
	size_t count, capacity;
	size_t strings; /* keys and texts */
	const char *ts; /* in the record's text; NULL: it has none */
	size_t ts_length;
};

/* Reads a record, which need not be JSON. Integers of more than 18 digits stay as they are. False
 * when the text is none that can be told apart so easily, as for a `\`, or memory ran out. */
bool recshape_read(struct recshape *shape, const char *line, size_t length);

void recshape_fini(struct recshape *shape);

#endif
