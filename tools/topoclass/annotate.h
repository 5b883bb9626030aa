/* annotate - a scan's records with the role of each device added, and everything else as it
 * came. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_ANNOTATE_H
#define TOPOCLASS_ANNOTATE_H

#include "memory.h"
#include "metadata.h"
#include "scanbuf.h"

/* Classifies the devices of a buffered scan and adds all its lines to `out`, in order. Updates
 * `memory`. 0, or -1 when memory runs out: a record without its role could be taken for one that is
 * monitored, so then nothing of `out` is to be used. */
int annotate_scan(const struct scanbuf *scan, const struct criteria *criteria,
	struct memory *memory, struct strbuf *out);

/* The same for an extra scan, which has some devices only: each is what it was in the scan before.
 */
int annotate_extra(const struct scanbuf *scan, struct memory *memory, struct strbuf *out);

/* Adds a line, and the members of `addition`, the text of an object, after its own; its text is as
 * it came otherwise. 0, or -1 when memory runs out. */
int annotate_add(struct strbuf *out, const struct scanbuf_line *line, const char *addition,
	size_t addition_length);

#endif
