/* batch - a batch of consecutive events as lines, copied from the spool or from memory; and queue,
 * the events in memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_BATCH_H
#define EMIT_BATCH_H

#include "../in/facts.h"
#include "choice.h"
#include "strbuf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct batch_event {
	/* position in the order of arrival, from 1; grows, but may skip numbers */
	uint64_t number;
	size_t at;     /* offset of its line in `lines` */
	size_t length; /* of the line with its newline */
	bool quiet;    /* baseline event that ended no condition */
	bool answered; /* arrived after its answer (clearing.h): not delivered */
	bool is_parsed;
	json_t *record; /* cache of batch_record() */
};

/* A zeroed batch is empty and ready to use. */
struct batch {
	struct strbuf lines;
	struct batch_event *events;
	size_t count, room;
};

/* Append a record of `length` bytes, without its newline. Return 0, or -1 if memory runs out. */
int batch_add(struct batch *batch, uint64_t number, const char *record, size_t length);

/* Append all events of `more`. Return 0, or -1 if memory runs out. */
int batch_append(struct batch *batch, const struct batch *more);

/* Return true if the sink does not get event `index`: it is answered, it is quiet and `with_quiet`
 * is false, or `choice` does not match. */
bool batch_is_left_out(
	const struct batch *batch, size_t index, bool with_quiet, const struct choice *choice);

/* Remove the events for which batch_is_left_out() is true. */
void batch_leave_out(struct batch *batch, bool with_quiet, const struct choice *choice);

/* Return the line of event `index` (below count), with its newline, without a NUL. Valid until the
 * next add. */
const char *batch_line(const struct batch *batch, size_t index);

/* Return the record of event `index`, parsed on the first call. Borrowed; valid as long as the
 * event is in the batch. NULL if it is no record or memory runs out. */
const json_t *batch_record(const struct batch *batch, size_t index);

/* Return the lines of all events in one string from malloc. `*length` excludes the final NUL. NULL
 * if memory runs out. */
char *batch_lines_new(const struct batch *batch, size_t *length);

/* Add `by` to the number of each event. */
void batch_shift(struct batch *batch, uint64_t by);

/* Keep the first `count` events; none are removed if there are fewer. */
void batch_cut(struct batch *batch, size_t count);

/* Remove all events and keep the memory for reuse. */
void batch_clear(struct batch *batch);

void batch_fini(struct batch *batch);

/* --- the queue: events in memory; each sink reads it at its own position --- */

/* An event as a line with its newline. */
struct queue_line {
	char *text;
	size_t length;
	uint64_t received_ns; /* arrival, ns since 1970 */
	struct facts *facts;  /* owned; NULL: parse `text` to get them */
	bool baseline;        /* facts.baseline */
	bool answered;        /* arrived after its answer (clearing.h) */
};

/* Lines with the numbers first to end-1. Numbers never decrease. */
struct queue {
	struct queue_line *ring;
	size_t capacity; /* a power of two, or 0 */
	uint64_t first, end;
	size_t bytes;
};

/* Set up an empty queue whose first line gets number last+1. Does not free lines. */
void queue_init(struct queue *queue, uint64_t last);

/* Renumber all lines above `last`, in the same order. */
void queue_raise(struct queue *queue, uint64_t last);

/* Return the number of the last line pushed. */
uint64_t queue_last(const struct queue *queue);

/* Append a line and take ownership of its text and facts (from malloc), also on failure. Return 0,
 * or -1 if memory runs out. */
int queue_push(struct queue *queue, const struct queue_line *line);

/* Return line `number`, which must be in the queue. Valid until the next push or drop. */
const struct queue_line *queue_at(const struct queue *queue, uint64_t number);

/* Free the facts of the lines `number` to end-1, and keep the lines. */
void queue_drop_facts(struct queue *queue, uint64_t number, uint64_t end);

/* Free the lines before `number`. */
void queue_drop_before(struct queue *queue, uint64_t number);

void queue_fini(struct queue *queue);

#endif
