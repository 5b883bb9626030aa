/* analysis - one line of a log on its way: matched, evaluated, reported. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_ANALYSIS_H
#define LOGMATCH_ANALYSIS_H

#include "logline.h"
#include "logmetrics.h"
#include "logtime.h"
#include "matcher.h"
#include "output.h"
#include "pcilook.h"

struct analysis {
	struct eval_setting setting;
	struct logtime time;
	struct eval_memory memory;
	struct matcher *matcher;
	struct pcilook *look;
	struct output *output;
	struct logmetrics metrics;
	bool counting; /* matches are counted, and nothing is written */
	/* processingStrategy of the event that ends what was said before this boot; NULL: none is
	 * owed */
	const char *baseline;
	bool is_own_boot; /* lines that are read are taken for this machine's, of this boot */
	/* the log that is followed is that of the kernel that runs here, and so is its time */
	bool is_live;
	uint64_t counts[LOGPATTERN_N];
	/* A line of this input was neither of a record nor of an entry of the journal. Then a line
	 * that looks like a record may be part of a text, because dmesg -t shows what follows a
	 * line feed in a message as a line of its own. */
	bool in_text;
	uint64_t bad; /* lines in a row that are not what they should be */
};

/* Where a line is from, for messages: `name: unit number: ...`. */
struct analysis_place {
	const char *name;
	const char *unit; /* what is counted: "at byte", "line", "record" */
	uint64_t number;
};

/* Before the first line of a log that is followed, once it is open: writes the event that ends what
 * was said before, if it is owed. 0, or -1 with errno. */
int analysis_begin(struct analysis *analysis);

/* Once that log has been read as far as it goes: takes back, at this moment in the time of the log,
 * what stands of patterns that are no longer enabled. 0, or -1 with errno. */
int analysis_take_back(struct analysis *analysis, uint64_t time_ns);

/* Accepts what lineform has made of a line. `meaning` is what the sieve says of its text, or of
 * more around it; 0: not known. 0, or -1 with errno when writing failed or memory ran out. */
int analysis_accept(struct analysis *analysis, const struct analysis_place *place,
	const struct logline *parsed, uint64_t meaning);

/* Passes over a line that is not looked at, with a warning for the first of those in a row.
 * `reason` is a constant. */
void analysis_skip(
	struct analysis *analysis, const struct analysis_place *place, const char *reason);

/* Warns how many lines were bad, if that is not reported yet: at the end of an input. */
void analysis_end_input(struct analysis *analysis, const char *name);

void analysis_fini(struct analysis *analysis);

#endif
