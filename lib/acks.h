/* acks - the file in which emit says what it has stored: {"version":1,"acks":{"<source>":<seq>, ...}}.
 *
 * Every event of a source up to its seq is stored; the source need not keep it any longer (ARCHITECTURE.md, "Nothing is lost"). */
#ifndef NHM_ACKS_H
#define NHM_ACKS_H

#include <jansson.h>
#include <stdint.h>

#define ACKS_VERSION 1
#define ACKS_MAX_BYTES ((size_t)1 << 20)

/* What is acknowledged, per source: an object of integers, to be given back with json_decref(). NULL with errno: ENOENT when there is no file yet,
 * EBADMSG when it is not what it should be. */
json_t *acks_read_new(const char *path);

/* The highest seq of `source` that is acknowledged, 0: none. */
uint64_t acks_seq(const json_t *acks, const char *source);

#endif
