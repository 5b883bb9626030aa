/* output - where records go: out as they are, or a scan at a time as metrics. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_OUTPUT_H
#define IBSCAN_OUTPUT_H

#include "scanwriter.h"

#include <pthread.h>

/* The table is nicview's. */
enum output_format { OUTPUT_JSON, OUTPUT_TABLE, OUTPUT_PROMETHEUS, OUTPUT_FORMAT_N };

/* For --help. */
#define OUTPUT_FORMAT_NAMES "json: records (default); table: for people; prometheus: metrics"

/* What --format calls them. */
extern const char *const output_format_names[OUTPUT_FORMAT_N];

struct output {
	struct rec_writer records;
	pthread_mutex_t lock;     /* while a record goes out as it is */
	struct scanwriter *scans; /* NULL: records go out as they come, to stdout */
};

/* OUTPUT_JSON or OUTPUT_PROMETHEUS. `path` (kept, not copied) is replaced as a whole by each scan;
 * NULL: stdout. Records as they are go to stdout only. 0, or -1 with errno when memory runs out. */
int output_init(struct output *output, enum output_format format, const char *path);
void output_fini(struct output *output);

/* What messages call the place it writes to. */
const char *output_name(const struct output *output);

/* Accepts one record, which stays the caller's, and stays as it is until the scan's end is
 * accepted. */
enum scanwriter_status output_accept(
	struct output *output, json_t *record, struct rec_error *error);

/* For a record that belongs to no scan, by another thread, where records go out as they are: false
 * when one is being written, or when this one would have to wait for its reader. */
bool output_lock_if_free(struct output *output);
void output_write_locked(struct output *output, const json_t *record);
void output_unlock(struct output *output);

#endif
