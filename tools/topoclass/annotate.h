/* annotate - a scan's records with the role of each device added, and everything else as it
 * came. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_ANNOTATE_H
#define TOPOCLASS_ANNOTATE_H

#include "memory.h"
#include "metadata.h"
#include "scanbuf.h"

/* Classifies the devices of a buffered scan and writes all its lines to `out`, in order, each in
 * one write(2). Updates `memory`. 0, or -1 with errno. */
int annotate_scan(const struct scanbuf *scan, const struct criteria *criteria,
	struct memory *memory, int out);

/* The same for an extra scan, which has some devices only: each is what it was in the scan before.
 */
int annotate_extra(const struct scanbuf *scan, const struct memory *memory, int out);

/* Puts `addition` (an object) after the members of the JSON object in `text`, leaving the text as
 * it came otherwise. A new string with a newline at its end, or NULL when memory runs out.
 * `*length` counts without the NUL. */
char *annotate_text_new(
	const char *text, size_t text_length, json_t *record, json_t *addition, size_t *length);

#endif
