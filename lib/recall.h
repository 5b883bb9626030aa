/* recall - records that are those of the scan before but for their numbers are not parsed again:
 * the tree that was made then gets the new numbers.
 *
 * A parser that makes trees takes most of the time of a filter of scan records; this takes a tenth
 * of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_RECALL_H
#define NHM_RECALL_H

#include "rec.h"

struct recall;

/* NULL when memory runs out. */
struct recall *recall_new(void);

/* Nullable. Records that others have stay theirs. */
void recall_free(struct recall *recall);

/* As rec_parse_new(), and what it gives may be looked at and kept for as long as need be: a tree
 * that anybody else has, or a part of it, is left alone. But it must not be changed: who wants to
 * change a record makes a copy of it. */
json_t *recall_parse_new(
	struct recall *recall, const char *line, size_t length, struct rec_error *error);

/* For rec_decode_known(), of the record that recall_parse_new() has given last, until the next one;
 * NULL: there is none. */
struct rec_memo *recall_memo(struct recall *recall);

/* A scan has ended: what was not in one of the latest scans is forgotten. */
void recall_turn(struct recall *recall);

#endif
