/* memory - encodes logmatch's memory of earlier lines as JSON for its state file, and decodes
 * it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_MEMORY_H
#define LOGMATCH_MEMORY_H

#include "eval.h"

#include <jansson.h>

/* Return the memory as JSON, to be released with json_decref(), or NULL when memory ran out. */
json_t *memory_encode_new(const struct eval_memory *memory);

/* Decode into an empty memory. Return false, and leave the memory empty, if memory_encode_new() did
 * not write the JSON. */
bool memory_decode(const json_t *json, struct eval_memory *memory);

/* Return true for the format of an older version, which stored less about conditions. */
bool memory_is_older(const json_t *json);

#endif
