/* output - where records go: out as they are, or a scan at a time as metrics.
 *
 * Records that go out as they are do so together, at the scan's end: whoever reads them is woken
 * once. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_OUTPUT_H
#define IBSCAN_OUTPUT_H

#include "scanwriter.h"
#include "strbuf.h"

#include <pthread.h>

/* The table is nicview's. */
enum output_format { OUTPUT_JSON, OUTPUT_TABLE, OUTPUT_PROMETHEUS, OUTPUT_FORMAT_N };

/* For --help. */
#define OUTPUT_FORMAT_NAMES "json: records (default); table: for people; prometheus: metrics"

/* What --format calls them. */
extern const char *const output_format_names[OUTPUT_FORMAT_N];

struct output {
	int fd;                   /* stdout */
	struct strbuf lines;      /* that are to go out as they are */
	pthread_mutex_t lock;     /* while lines go out */
	struct scanwriter *scans; /* NULL: records go out as they are, to stdout */
};

/* OUTPUT_JSON or OUTPUT_PROMETHEUS. `path` (kept, not copied) is replaced as a whole by each scan;
 * NULL: stdout. Records as they are go to stdout only. 0, or -1 with errno when memory runs out. */
int output_init(struct output *output, enum output_format format, const char *path);
void output_fini(struct output *output);

/* What messages call the place it writes to. */
const char *output_name(const struct output *output);

/* Writes one record, and releases it. One that no reader would accept is left out, with a message.
 * 0, or -1 with errno: ENOMEM also when `record` is NULL, because memory ran out while it was
 * made. */
int output_write_new(struct output *output, json_t *record);

/* The same for a record that is a text, a line with its newline. `made` is what the function that
 * made it has returned: but for 0 memory ran out. */
int output_write_line(struct output *output, const struct strbuf *line, int made);

/* Nothing that was written is kept back any longer. 0, or -1 with errno. */
int output_flush(struct output *output);

/* Writes a line as it came, where records go out as they are and none is kept back: `text` is
 * followed by a byte that becomes its newline. 0, or -1 with errno. */
int output_pass(struct output *output, char *text, size_t length);

/* For a record that belongs to no scan, by another thread, where records go out as they are: false
 * when some are being written, or when this one would have to wait for its reader. */
bool output_lock_if_free(struct output *output);
void output_write_locked(struct output *output, const json_t *record);
void output_unlock(struct output *output);

#endif
