/* memory - what is known of all nodes, as JSON and back (spec#derived-state). Pure.
 *
 * What was found by a rule that is gone, or has changed, is owed an answer instead. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_MEMORY_H
#define CORRELATE_MEMORY_H

#include "nodes.h"

/* An array. NULL when memory ran out. */
json_t *memory_encode_new(const struct nodes *nodes);

/* Takes it into nodes of which there are none. 0, or -1 with `*error` when it is something else;
 * the nodes are to be freed then. */
int memory_decode(struct nodes *nodes, const json_t *list, struct rec_error *error);

#endif
