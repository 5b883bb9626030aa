/* annotate - adds each device's role to the records of a scan and copies everything else
 * unchanged. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_ANNOTATE_H
#define TOPOCLASS_ANNOTATE_H

#include "memory.h"
#include "metadata.h"
#include "scanbuf.h"

/* Classify the devices of a buffered scan and append all its lines to `out`, in order. Updates
 * `memory`. Return 0, or -1 when memory ran out; then discard `out`, since a record without a role
 * could count as monitored. */
int annotate_scan(const struct scanbuf *scan, const struct criteria *criteria,
	struct memory *memory, struct strbuf *out);

/* The same for an extra scan, which has only some devices: their verdicts are those of the last
 * scan. */
int annotate_extra(const struct scanbuf *scan, struct memory *memory, struct strbuf *out);

/* Append a line with the members of `addition`, the text of an object, after its own; otherwise the
 * text stays unchanged. Return 0, or -1 when memory ran out. */
int annotate_add(struct strbuf *out, const struct scanbuf_line *line, const char *addition,
	size_t addition_length);

#endif
