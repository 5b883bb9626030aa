/* intake - reads a filter's input: parses lines into records, and warns once per burst of bad
 * lines.
 *
 * Torn, oversized, non-UTF-8 and non-JSON lines are counted, warned about once per burst, and
 * skipped. intake_next() reports each loss (INTAKE_LOST), because a scan that lost a line is
 * incomplete. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_INTAKE_H
#define NHM_INTAKE_H

#include "line.h"
#include "metrics.h"
#include "recall.h"

enum intake_status {
	INTAKE_RECORD,
	INTAKE_LOST, /* a line was skipped */
	INTAKE_MORE, /* no whole line in the buffer: call intake_fill() */
	INTAKE_END,
};

struct intake {
	struct line_reader lines;
	const char *name;     /* name of the input in messages, such as "stdin" */
	uint64_t line_number; /* number of the line returned last, from 1 */
	uint64_t lost;        /* lines skipped so far */
	uint64_t burst;       /* lines skipped since the last good one */
	bool accepted;        /* the record returned last has not been rejected */
	/* Parse a line. Return true if it is a record: intake_next() then returns it without json.
	 * NULL by default: intake parses every line. */
	bool (*read)(void *reader, const char *text, size_t length);
	void *reader;
	/* cache of parsed lines, see recall.h; NULL by default: parse every line */
	struct recall *recall;
	/* counts the same as `lost`; NULL by default */
	struct metrics_cell *malformed;
};

/* A record with its original text, for filters that pass text through. The text is valid until the
 * next call. The caller releases `json` with json_decref(); it is NULL if `read` parsed the
 * line. */
struct intake_record {
	json_t *json;
	char *text;
	size_t length;
	struct rec_memo *memo; /* see rec_decode_known(); valid until the next call; NULL: none */
};

/* The pointer `name` is kept. */
void intake_init(struct intake *intake, int fd, const char *name);

/* Return the metric of malformed lines that a stage skipped; it starts at 0. NULL without a metrics
 * page. */
struct metrics_cell *intake_malformed(struct metrics *metrics, const char *stage);

/* Report the lines lost since the last good one, and free the buffer. */
void intake_fini(struct intake *intake);

/* Call read(2) once, for callers that poll. Return LINE_OK, LINE_END or LINE_ERROR. */
enum line_status intake_fill(struct intake *intake);

/* Return the next record of the buffer in `*out`. Never blocks. */
enum intake_status intake_next(struct intake *intake, struct intake_record *out);

/* Reject the record returned last, which is valid JSON but lacks what its kind requires: warn, and
 * count it as lost. */
void intake_reject(struct intake *intake, const struct rec_error *error);

#endif
