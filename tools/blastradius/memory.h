/* memory - encodes the state of the fleet as JSON, and decodes it. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_MEMORY_H
#define BLASTRADIUS_MEMORY_H

#include "suspects.h"

/* Return an object, or NULL when memory ran out. */
json_t *memory_encode_new(const struct suspects *suspects);

/* Decode into empty suspects. Ports get the places of the current topology, which may differ from
 * that of the state. Return 0, or -1 with `*error`. */
int memory_decode(struct suspects *suspects, const json_t *root, struct rec_error *error);

#endif
