/* analysis - one line of a log on its way: read, matched, judged, reported. */
#ifndef LOGMATCH_ANALYSIS_H
#define LOGMATCH_ANALYSIS_H

#include "lineform.h"
#include "logtime.h"
#include "matcher.h"
#include "numbers.h"
#include "output.h"
#include "pcilook.h"

struct analysis {
	enum logline_format format;
	struct judge_setting setting;
	struct logtime time;
	struct judge_memory memory;
	struct matcher *matcher;
	struct pcilook *look;
	struct output *output;
	struct numbers numbers;
	bool counting; /* matches are counted, and nothing is written */
	uint64_t counts[LOGPATTERN_N];
	struct lineform_scratch scratch;
	uint64_t bad;    /* lines in a row that are not what they should be */
	bool after_kmsg; /* the line before was a record of /dev/kmsg, or of its dictionary */
};

/* Where a line is from, for messages: `name: unit number: ...`. */
struct analysis_place {
	const char *name;
	const char *unit; /* what is counted: "at byte", "line", "record" */
	uint64_t number;
};

/* Takes what lineform has made of a line. 0, or -1 with errno when writing failed or memory ran out. */
int analysis_take(struct analysis *analysis, const struct analysis_place *place,
	const struct logline *parsed);

/* Takes a piece of a log, whole lines, which begins at `place`. 0, or -1 as above. */
int analysis_block(struct analysis *analysis, const struct analysis_place *place, const char *bytes,
	size_t length);

/* Passes over a line that is not looked at, with a warning for the first of those in a row. `reason` is a constant. */
void analysis_skip(
	struct analysis *analysis, const struct analysis_place *place, const char *reason);

/* Says how many lines were bad, if that is not said yet: at the end of an input. */
void analysis_end_input(struct analysis *analysis, const char *name);

void analysis_fini(struct analysis *analysis);

#endif
