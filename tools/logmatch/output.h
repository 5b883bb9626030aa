/* output - writes events, gaps and records passed on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_OUTPUT_H
#define LOGMATCH_OUTPUT_H

#include "eval.h"
#include "outlet.h"

/* Largest write to anything but a pipe or socket. */
#define OUTPUT_WRITE_MAX_BYTES ((size_t)64 << 10)

struct output {
	struct outlet outlet;
	const char *node;    /* for nodeName */
	const char *boot_id; /* boot id of the log; NULL: unknown */
	bool failed;    /* a write failed: the state must not be stored as if it had succeeded */
	bool named;     /* the stream has a name for this batch */
	json_t *events; /* this batch, with a state file */
	char stamp[32]; /* time of the batch's first event */
	size_t pending; /* bytes of whole records in `buffer` */
	size_t write_bytes; /* largest single write */
	char buffer[OUTPUT_WRITE_MAX_BYTES];
};

/* `options`, `owner` and `context` as for outlet_init(). `node` must outlive the output. Return 0,
 * or -1 when memory ran out. Call output_fini() in both cases. */
int output_init(struct output *output, const struct outlet_options *options,
	const struct outlet_owner *owner, void *context, const char *node);

void output_fini(struct output *output);

/* Name the stream before the first event of a batch; `time_ns` and `text` are the finding's. After
 * that, output_next_id() gives the id of the next event. */
void output_begin_event(struct output *output, uint64_t time_ns, const char *text, size_t length);
void output_next_id(const struct output *output, char id[STANDING_ID_SIZE]);

/* Accept an event. It is written with the batch at the latest. Return 0, or -1 with errno. */
int output_event(struct output *output, const struct event *event);

/* Write a `gap` record after everything accepted so far: `lost` records of `source` are missing
 * before `time_ns`. Return 0, or -1 with errno. */
int output_gap(struct output *output, const char *source, uint64_t lost, uint64_t time_ns);

/* Pass a line on, after everything accepted so far. Return 0, or -1 with errno. */
int output_pass(struct output *output, const char *line, size_t length);

/* Replace an event id that changed in the metadata of the batch's events. */
void output_rename(struct output *output, const char *old_id, const char *new_id);

/* End the batch: store the state if due, then write the events. `now_ns` is CLOCK_BOOTTIME. Return
 * 0, or -1 with errno. */
int output_commit(struct output *output, enum outlet_change change, uint64_t now_ns);

/* If events without acknowledgements were written, store that at once. Return 0, or -1 with
 * errno. */
int output_settle(struct output *output, uint64_t now_ns);

#endif
