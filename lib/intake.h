/* intake - a filter's input: lines in, records out, and one warning per burst of what is neither.
 *
 * Torn, oversized, non-UTF-8 and non-JSON lines are counted, warned about once per burst and
 * skipped. The caller learns of each loss (INTAKE_LOST), because a scan that lost a line is an
 * incomplete one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_INTAKE_H
#define NHM_INTAKE_H

#include "line.h"
#include "metrics.h"
#include "recall.h"

enum intake_status {
	INTAKE_RECORD,
	INTAKE_LOST, /* a line was skipped */
	INTAKE_MORE, /* no whole line in the buffer: fill again */
	INTAKE_END,
};

struct intake {
	struct line_reader lines;
	const char *name;     /* what messages call this input, e.g. "stdin" */
	uint64_t line_number; /* of the line handed out last, from 1 */
	uint64_t lost;        /* lines skipped so far */
	uint64_t burst;       /* lines skipped since the last good one */
	bool accepted;        /* the record handed out last has not been rejected */
	/* Reads a line itself, and knows that it is a record: true, and it is handed out without
	 * json. NULL, as after intake_init(): nobody does. */
	bool (*read)(void *reader, const char *text, size_t length);
	void *reader;
	/* Parses what it has not seen before. NULL, as after intake_init(): all is parsed. */
	struct recall *recall;
	/* counts what `lost` counts; NULL, as after intake_init(): nobody asks */
	struct metrics_cell *malformed;
};

/* One record and the very text it came as, for filters that pass text through. The text ends at the
 * next call; `json` is the caller's to json_decref(), and NULL if the line has been read already.
 */
struct intake_record {
	json_t *json;
	char *text;
	size_t length;
	struct rec_memo *memo; /* see rec_decode_known(); until the next call; NULL: none */
};

/* `name` is kept, not copied. */
void intake_init(struct intake *intake, int fd, const char *name);

/* The number of malformed lines that a stage has skipped, 0 if it has not begun to count them. NULL
 * when there is no page. */
struct metrics_cell *intake_malformed(struct metrics *metrics, const char *stage);

/* Says how many lines were lost, if any were since the last good one, and frees the buffer. */
void intake_fini(struct intake *intake);

/* One read(2), for callers that poll: LINE_OK, LINE_END or LINE_ERROR. */
enum line_status intake_fill(struct intake *intake);

/* The next record from what was read. Never blocks. */
enum intake_status intake_next(struct intake *intake, struct intake_record *out);

/* For a record that is well-formed JSON but not what its kind promises: warns and counts it as
 * lost. */
void intake_reject(struct intake *intake, const struct rec_error *error);

#endif
