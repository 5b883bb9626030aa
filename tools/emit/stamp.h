/* stamp - an event as the line that is shipped, with what was missing filled in. */
#ifndef EMIT_STAMP_H
#define EMIT_STAMP_H

#include "intake.h"

/* The line of an event record, with its newline, in memory from malloc; nodeName and processingStrategy are added where
 * they are missing, and a record that has both is passed on as it came. `record->json` stays the caller's. NULL when
 * memory runs out. */
char *stamp_new(const struct intake_record *record, const char *node, size_t *length);

#endif
