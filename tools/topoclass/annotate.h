/* annotate - a scan's records with the role of each device added, and everything else as it came. */
#ifndef TOPOCLASS_ANNOTATE_H
#define TOPOCLASS_ANNOTATE_H

#include "classify.h"
#include "metadata.h"
#include "scanbuf.h"

#include <net/if.h>

/* What a run of topoclass remembers from scan to scan. */
struct memory {
	json_t *verdicts; /* device -> verdict of the last scan in which it could be read, as an integer */
	json_t *cards;           /* device -> card it was seen on last */
	json_t *carried_default; /* device -> true: has carried the default route since the start */
};

/* 0, or -1 when memory runs out. Free with memory_fini(). */
int memory_init(struct memory *memory);
void memory_fini(struct memory *memory);

/* What one scan is judged by. */
struct judgement {
	const struct rules *rules;
	const struct metadata *metadata;
	const char *default_interface; /* NULL: no default route is known */
};

/* Classifies the devices of a buffered scan and writes all its lines to `out`, in order, each in one write(2). Updates
 * `memory`. 0, or -1 with errno. */
int annotate_scan(const struct scanbuf *scan, const struct judgement *judgement,
	struct memory *memory, int out);

/* Puts `addition` (an object) behind the members of the JSON object in `text`, leaving the text as it came otherwise. A
 * new string with a newline at its end, or NULL when memory runs out. `*length` counts without the NUL. */
char *annotate_text_new(
	const char *text, size_t text_length, json_t *record, json_t *addition, size_t *length);

#endif
