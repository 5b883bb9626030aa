/* memory - encodes the state of all nodes as JSON, and decodes it (spec#derived-state). Pure.
 *
 * If the rule of a standing group was removed or changed, its check is added to the node's
 * `owed`. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_MEMORY_H
#define CORRELATE_MEMORY_H

#include "nodes.h"

/* Return an array, or NULL when memory ran out. */
json_t *memory_encode_new(const struct nodes *nodes);

/* Decode into empty nodes. Return 0, or -1 with `*error` if the list is malformed; free the nodes
 * then. */
int memory_decode(struct nodes *nodes, const json_t *list, struct rec_error *error);

#endif
