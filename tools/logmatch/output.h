/* output - what logmatch writes: events and other records. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_OUTPUT_H
#define LOGMATCH_OUTPUT_H

#include "eval.h"
#include "outlet.h"

/* What is written at once into what is not a pipe. */
#define OUTPUT_WRITE_MAX_BYTES ((size_t)64 << 10)

struct output {
	struct outlet outlet;
	const char *node;    /* for nodeName */
	const char *boot_id; /* of the log; NULL: not known */
	bool failed; /* something could not be written, and is not to be stored as if it had been */
	bool named;  /* the stream has been named for this batch */
	json_t *events;     /* of this batch, when they are stored before they are written */
	char stamp[32];     /* of the latest event of this batch */
	size_t pending;     /* bytes of whole records that wait in `buffer`, when they are not */
	size_t write_bytes; /* so many bytes of them are written at once at most */
	char buffer[OUTPUT_WRITE_MAX_BYTES];
};

/* `options`, `owner` and `context` as for outlet_init(); `node` is kept. 0, or -1 when memory ran
 * out. output_fini() in both cases. */
int output_init(struct output *output, const struct outlet_options *options,
	const struct outlet_owner *owner, void *context, const char *node);

void output_fini(struct output *output);

/* Names the stream, when this is the first event of the batch: `time_ns` and `text` are the
 * finding's. Then the id of the next event is known: output_next_id(). */
void output_begin_event(struct output *output, uint64_t time_ns, const char *text, size_t length);
void output_next_id(const struct output *output, char id[STANDING_ID_SIZE]);

/* Accepts an event. It is written with the batch at the latest. 0, or -1 with errno. */
int output_event(struct output *output, const struct event *event);

/* Writes a `gap` record after what has been accepted: `lost` records of `source`, before
 * `time_ns`. 0, or -1 with errno. */
int output_gap(struct output *output, const char *source, uint64_t lost, uint64_t time_ns);

/* Passes a line through, after what has been accepted. 0, or -1 with errno. */
int output_pass(struct output *output, const char *line, size_t length);

/* An event has got another id: those of the batch that name it in their metadata follow. */
void output_rename(struct output *output, const char *old_id, const char *new_id);

/* Ends the batch: what is remembered is stored if that is due, and the events are written. `now_ns`
 * is CLOCK_BOOTTIME. 0, or -1 with errno. */
int output_commit(struct output *output, enum outlet_change change, uint64_t now_ns);

/* Stores at once that events were written which nobody acknowledges. 0, or -1 with errno. */
int output_settle(struct output *output, uint64_t now_ns);

#endif
