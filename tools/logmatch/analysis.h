/* analysis - matches, evaluates and reports one line of a log. */
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
	bool counting; /* count matches, write no events */
	/* processingStrategy of the baseline event that is still to be written; NULL: none */
	const char *baseline;
	bool is_own_boot; /* lines are assumed to be from this machine's current boot */
	/* the followed log and its time are those of the running kernel */
	bool is_live;
	uint64_t counts[LOGPATTERN_N];
	/* A line of this input was neither a record of /dev/kmsg nor an entry of the journal. Then
	 * a line that looks like a record may be part of a text: dmesg -t prints what follows a
	 * line feed in a message as a line of its own. */
	bool in_text;
	uint64_t bad; /* malformed lines in a row */
};

/* Position of a line, for messages: `name: unit number: ...`. */
struct analysis_place {
	const char *name;
	const char *unit; /* what `number` counts: "at byte", "line", "record" */
	uint64_t number;
};

/* Write the baseline event if one is still to be written. Call it once a followed log is open,
 * before its first line. Return 0, or -1 with errno. */
int analysis_begin(struct analysis *analysis);

/* End the conditions of patterns that are no longer enabled. Call it once a followed log has been
 * read to its current end; `time_ns` is in the time of the log. Return 0, or -1 with errno. */
int analysis_take_back(struct analysis *analysis, uint64_t time_ns);

/* Process a line that lineform parsed. `meaning` is the sieve's result for its text, or for a
 * larger span around it; 0: not known. Return 0, or -1 with errno when writing failed or memory ran
 * out. */
int analysis_accept(struct analysis *analysis, const struct analysis_place *place,
	const struct logline *parsed, uint64_t meaning);

/* Skip a line and count it as malformed. Warn only about the first of several in a row. `reason` is
 * a constant. */
void analysis_skip(
	struct analysis *analysis, const struct analysis_place *place, const char *reason);

/* End a row of skipped lines: warn how many there were, if more than one. Call it at the end of an
 * input. */
void analysis_end_input(struct analysis *analysis, const char *name);

void analysis_fini(struct analysis *analysis);

#endif
