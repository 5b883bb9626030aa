/* recall - reuses parsed records of the last scans that differ only in their numbers: it stores the
 * new numbers into the existing tree.
 *
 * Parsing into trees takes most of the time of a filter of scan records; this takes a tenth of
 * it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_RECALL_H
#define NHM_RECALL_H

#include "rec.h"

struct recall;

/* Return NULL when out of memory. */
struct recall *recall_new(void);

/* Nullable. Records that others hold stay valid. */
void recall_free(struct recall *recall);

/* The same as rec_parse_new(). The caller may keep the record as long as it needs: a tree that
 * anybody else holds, even in part, is not reused. The record must not be changed: change a
 * copy. */
json_t *recall_parse_new(
	struct recall *recall, const char *line, size_t length, struct rec_error *error);

/* Return the cache, for rec_decode_known(), of the last record that recall_parse_new() returned,
 * valid until its next call; NULL if there is none. */
struct rec_memo *recall_memo(struct recall *recall);

/* End a scan: forget records that were in none of the latest scans. */
void recall_turn(struct recall *recall);

#endif
