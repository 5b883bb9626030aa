/* pieces - a log in pieces of whole lines: finds the lines that matter, and puts records together
 * again. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_PIECES_H
#define LOGMATCH_PIECES_H

#include "analysis.h"
#include "strbuf.h"

/* All zeros at first but for what is set. */
struct pieces {
	struct analysis *analysis;  /* set: accepts the lines */
	enum logline_format format; /* set */
	struct strbuf held; /* a record at the end of a piece: its dictionary may be in the next */
	uint64_t held_number;  /* of its place */
	struct strbuf scratch; /* of lineform_parse() */
	bool after_kmsg;       /* the line before was a record of /dev/kmsg, or of its dictionary */
};

/* Accepts a piece of a log, whole lines, which begins at `place`. A record at its end may be held
 * until the next one. 0, or -1 with errno as analysis_accept(). */
int pieces_accept(struct pieces *pieces, const struct analysis_place *place, const char *bytes,
	size_t length);

/* Accepts the record that is held, if there is one: nothing more of it comes. `place` is that of
 * the input. 0, or -1 as above. */
int pieces_release(struct pieces *pieces, const struct analysis_place *place);

void pieces_fini(struct pieces *pieces);

#endif
