/* batch - events as lines: a batch of some in a row, copied from where they are kept; and the queue
 * of those in memory. */
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
	/* its place in the order of arrival, from 1; later events have higher ones, not always the
	 * next */
	uint64_t number;
	size_t at;     /* where its line begins, in `lines` */
	size_t length; /* of the line, with its newline */
	bool quiet;    /* it belongs to a baseline, and has ended nothing */
	bool answered; /* it came after its answer, see clearing.h: no sink gets it */
	bool is_parsed;
	json_t *record; /* of batch_record(), once it is parsed */
};

/* Zeroed, it is empty and ready. */
struct batch {
	struct strbuf lines;
	struct batch_event *events;
	size_t count, room;
};

/* Appends a record of `length` bytes, without its newline. 0, or -1 when memory ran out. */
int batch_add(struct batch *batch, uint64_t number, const char *record, size_t length);

/* Appends all of another. 0, or -1 when memory ran out. */
int batch_append(struct batch *batch, const struct batch *more);

/* Whether an event is left out: nobody is to get it, it is quiet and not `with_quiet`, or it is not
 * chosen. */
bool batch_is_left_out(
	const struct batch *batch, size_t index, bool with_quiet, const struct choice *choice);

/* Leaves them out. */
void batch_leave_out(struct batch *batch, bool with_quiet, const struct choice *choice);

/* The line of event `index` (below count), with its newline, not NUL-terminated. Valid until the
 * next add. */
const char *batch_line(const struct batch *batch, size_t index);

/* The same, parsed: once, when it is first asked for. NULL when it is not a record, or memory ran
 * out. The batch's; valid as long as the event is in it. */
const json_t *batch_record(const struct batch *batch, size_t index);

/* The lines of all events in it, one after the other, from malloc, with a NUL behind them that does
 * not count. NULL when memory ran out. */
char *batch_lines_new(const struct batch *batch, size_t *length);

/* All numbers become higher by so much. */
void batch_shift(struct batch *batch, uint64_t by);

/* Keeps its first `count` events, at most as many as it has. */
void batch_cut(struct batch *batch, size_t count);

/* Empties it; the memory stays for the next. */
void batch_clear(struct batch *batch);

void batch_fini(struct batch *batch);

/* --- the queue: all sinks read the one, each at its own place --- */

/* One event as a line with its newline. */
struct queue_line {
	char *text;
	size_t length;
	uint64_t received_ns; /* when it came, nanoseconds since 1970 */
	struct facts *facts;  /* what it says; NULL: to be read out of its text */
	bool baseline;        /* of a baseline, see facts.h */
	bool answered;        /* it came after its answer, see clearing.h */
};

/* Lines number first to end-1; numbers only grow. */
struct queue {
	struct queue_line *ring;
	size_t capacity; /* a power of two, or 0 */
	uint64_t first, end;
	size_t bytes;
};

/* Empties it: the next line gets the number after `last`. Not for one that holds lines. */
void queue_init(struct queue *queue, uint64_t last);

/* Gives all lines other numbers, in the same order, that are higher than `last`. */
void queue_raise(struct queue *queue, uint64_t last);

/* The number of the last line there was. */
uint64_t queue_last(const struct queue *queue);

/* Appends a line, whose text and facts (from malloc) are stolen in every case. 0, or -1 when memory
 * runs out. */
int queue_push(struct queue *queue, const struct queue_line *line);

/* Line `number`, which must be in the queue. Valid until the next push or drop. */
const struct queue_line *queue_at(const struct queue *queue, uint64_t number);

/* Forgets the facts of the lines from `number` on, up to `end`, but keeps the lines. */
void queue_drop_facts(struct queue *queue, uint64_t number, uint64_t end);

/* Forgets the lines before `number`. */
void queue_drop_before(struct queue *queue, uint64_t number);

void queue_fini(struct queue *queue);

#endif
