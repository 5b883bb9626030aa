/* memory - what is known of the fleet, as JSON and back. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_MEMORY_H
#define BLASTRADIUS_MEMORY_H

#include "suspects.h"

/* An object. NULL when memory ran out. */
json_t *memory_encode_new(const struct suspects *suspects);

/* Takes the same into suspects of whom nothing is known yet. Where the topology is another one, the
 * ports are at the places that it says. 0, or -1 with `*error`. */
int memory_decode(struct suspects *suspects, const json_t *root, struct rec_error *error);

#endif
