/* output - writes records to stdout, or each scan as metrics.
 *
 * The records of a scan are written together at its end, so that their reader wakes up once. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_OUTPUT_H
#define IBSCAN_OUTPUT_H

#include "scanwriter.h"
#include "strbuf.h"

#include <pthread.h>

/* nicview prints the table. */
enum output_format { OUTPUT_JSON, OUTPUT_TABLE, OUTPUT_PROMETHEUS, OUTPUT_FORMAT_N };

/* For --help. */
#define OUTPUT_FORMAT_NAMES "json: records (default); table: text; prometheus: metrics"

/* Values of --format. */
extern const char *const output_format_names[OUTPUT_FORMAT_N];

struct output {
	int fd;                   /* stdout */
	struct strbuf lines;      /* held back until the scan's end */
	pthread_mutex_t lock;     /* held while lines are written */
	struct scanwriter *scans; /* NULL: records are written to stdout */
};

/* Initialise for OUTPUT_JSON or OUTPUT_PROMETHEUS. Each scan atomically replaces the file `path`
 * (kept, not copied); NULL: stdout. Records (OUTPUT_JSON) go to stdout only. Return 0, or -1 with
 * errno when memory runs out. */
int output_init(struct output *output, enum output_format format, const char *path);
void output_fini(struct output *output);

/* Return the destination's name for messages. */
const char *output_name(const struct output *output);

/* Write one record and release it. If readers would reject it, drop it with a message. Return 0, or
 * -1 with errno. `record` may be NULL if memory ran out while creating it: fails with ENOMEM. */
int output_write_new(struct output *output, json_t *record);

/* The same for a record as a line of text with its newline. `made` is the result of the function
 * that formatted it; if it is not 0, fail with ENOMEM. */
int output_write_line(struct output *output, const struct strbuf *line, int made);

/* Write all lines that are held back. Return 0, or -1 with errno. */
int output_flush(struct output *output);

/* Write a line to stdout unchanged. Overwrite the byte after `text` by a newline. Only for
 * OUTPUT_JSON, and only if no lines are held back. Return 0, or -1 with errno. */
int output_pass(struct output *output, char *text, size_t length);

/* For another thread's record that belongs to no scan; only for OUTPUT_JSON. Return false without
 * the lock if lines are being written, or if stdout would block. */
bool output_lock_if_free(struct output *output);
void output_write_locked(struct output *output, const json_t *record);
void output_unlock(struct output *output);

#endif
