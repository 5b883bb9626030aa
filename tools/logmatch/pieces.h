/* pieces - processes a log in pieces of whole lines: finds the lines that matter, and joins records
 * with their dictionaries. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_PIECES_H
#define LOGMATCH_PIECES_H

#include "analysis.h"
#include "strbuf.h"

/* Initialise to zeros except `analysis` and `format`. */
struct pieces {
	struct analysis *analysis;  /* accepts the lines */
	enum logline_format format; /* as in --format */
	struct strbuf
		held; /* record at the end of a piece: its dictionary may be in the next piece */
	uint64_t held_number;  /* offset of `held` in the input */
	struct strbuf scratch; /* of lineform_parse() */
	bool is_coloured;      /* the piece has escape sequences, which may lie inside a key */
	bool after_kmsg; /* the previous line was a record of /dev/kmsg or of its dictionary */
};

/* Accept a piece of a log, whole lines that begin at `place`. May hold a record at its end until
 * the next piece. Return 0, or -1 with errno as analysis_accept(). */
int pieces_accept(struct pieces *pieces, const struct analysis_place *place, const char *bytes,
	size_t length);

/* Accept the held record, if any, at the end of the input. `place` is that of the input. Return 0,
 * or -1 with errno as analysis_accept(). */
int pieces_release(struct pieces *pieces, const struct analysis_place *place);

void pieces_fini(struct pieces *pieces);

#endif
