/* memory - what logmatch remembers of the lines before, as JSON for its state file, and back. */
#ifndef LOGMATCH_MEMORY_H
#define LOGMATCH_MEMORY_H

#include "judge.h"

#include <jansson.h>

/* As JSON, to be given back with json_decref(); NULL when memory ran out. */
json_t *memory_encode_new(const struct judge_memory *memory);

/* Reads it into an empty memory. False, and the memory as it was, when it is not what memory_encode_new() writes. */
bool memory_decode(const json_t *json, struct judge_memory *memory);

#endif
