/* memory - what logmatch remembers of the lines before, as JSON for its state file, and back. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_MEMORY_H
#define LOGMATCH_MEMORY_H

#include "eval.h"

#include <jansson.h>

/* As JSON, to be given back with json_decref(); NULL when memory ran out. */
json_t *memory_encode_new(const struct eval_memory *memory);

/* Reads it into an empty memory. False, and the memory as it was, when it is not what
 * memory_encode_new() writes. */
bool memory_decode(const json_t *json, struct eval_memory *memory);

/* True for what an older version wrote, which knew less of what stands. */
bool memory_is_older(const json_t *json);

#endif
