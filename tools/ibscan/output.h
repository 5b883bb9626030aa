/* output - where records go: out as they are, or a scan at a time in a form for people or other programs. */
#ifndef IBSCAN_OUTPUT_H
#define IBSCAN_OUTPUT_H

#include "rec.h"

enum output_format { OUTPUT_JSON, OUTPUT_TABLE, OUTPUT_PROMETHEUS, OUTPUT_FORMAT_N };

/* For --help. */
#define OUTPUT_FORMAT_NAMES "json: records (default); table: for people; prometheus: metrics"

/* What --format calls it. False when there is no such format. */
bool output_parse_format(const char *name, enum output_format *format);

struct output;

/* `path` (kept, not copied) is replaced as a whole by each scan; NULL: stdout. Records as they are go to stdout only. NULL
 * when memory runs out. */
struct output *output_new(enum output_format format, const char *path);
void output_free(struct output *output);

/* What messages call the place it writes to. */
const char *output_name(const struct output *output);

enum output_status {
	OUTPUT_TAKEN,
	OUTPUT_BAD, /* the record is not what its kind promises, see `error`; without it the scan is not whole */
	OUTPUT_FAILED, /* writing failed, or memory ran out: see errno */
};

/* Takes one record, which stays the caller's, and stays as it is until the scan's end is taken. Records of other kinds than a
 * scan's are of no use to those who want scans. */
enum output_status output_take(struct output *output, json_t *record, struct rec_error *error);

/* A record of the scan was lost on the way. */
void output_lose(struct output *output);

/* True when it takes scans and none has come so far. */
bool output_is_empty(const struct output *output);

/* There will be no more records: writes what there is of a scan that was cut off. 0, or -1 with errno. */
int output_end(struct output *output);

#endif
