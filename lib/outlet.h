/* outlet - stores events before it writes them, and writes them again until they are acknowledged
 * (arch#nothing-lost).
 *
 * It owns the event stream, the outbox, the state file and the writer. The tool makes the events,
 * and owns the rest of the state file's content. The calls of a run:
 *
 *   outlet_init()
 *   outlet_open()    reads the state file; calls the owner's decode()
 *   outlet_resend()  writes the unacknowledged events of the last run
 *   for each batch of input: outlet_name_stream(), make events with `stream`, outlet_send()
 *   outlet_finish()  stores pending changes
 *   outlet_fini()
 *
 * A batch is what the tool stores and writes together: a scan, or all lines of one read(). Without
 * a state file, the same calls only write the events.
 *
 * If the input contains marks (mark.h), the outlet also writes marks for its own events: the
 * receiver then relies on marks. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_OUTLET_H
#define NHM_OUTLET_H

#include "acks.h"
#include "mark.h"
#include "metrics.h"
#include "num.h"
#include "outbox.h"
#include "store.h"

#include <sys/stat.h>

/* Longest time that a change of kind OUTLET_MAY_WAIT stays unsaved, nanoseconds of batch time. */
#define OUTLET_LAG_NS (5 * NUM_NS_PER_S)

/* Poll interval of the acks file, nanoseconds. It is shorter than the time for which emit holds
 * events back, so that a new emit gets the events that were lost with the old one in time. */
#define OUTLET_LOOK_NS NUM_NS_PER_S

/* Whether the tool's part of the state must be saved. */
enum outlet_change {
	OUTLET_SAME,
	OUTLET_MAY_WAIT, /* a restart tolerates a state that is OUTLET_LAG_NS old */
	OUTLET_AT_ONCE,
};

/* The tool's part of the state file. Each function gets the tool's context. `stream` and `outbox`
 * are stored in the same JSON object: decode() and encode_new() call outbox_decode() and
 * outbox_encode() for them. */
struct outlet_owner {
	int version; /* of the content, see store_check_version() */

	/* Decode a content, any JSON value, into an empty state, stream and outbox. Return 0, or -1
	 * with `*error` if this version does not write such a content, or memory ran out. */
	int (*decode)(void *context, const json_t *root, struct rec_error *error);

	/* Empty the state after decode() returned -1. The outlet empties stream and outbox. */
	void (*reset)(void *context);

	/* Return the content to write, text from malloc, or NULL when out of memory. */
	char *(*encode_new)(void *context);

	/* The event's id changed: replace old_id by new_id in the state and in the other events of
	 * the batch. NULL: the tool stores no ids. */
	void (*renamed)(void *context, const char *old_id, const char *new_id);
};

struct outlet_options {
	const char *tool;       /* part of what the stream's name is made of */
	const char *state_path; /* NULL: no state is kept */
	const char *acks_path;  /* NULL: written events count as received */
	const char *strategy;   /* processingStrategy of events without one of their own */
	/* the events are about one node: with a state file, another node has another stream */
	bool is_of_node;
	/* page for the time of the last acks poll and the number of events in the outbox;
	 * nullable */
	struct metrics *metrics;
};

/* The tool uses `stream` and `outbox`, and reads store.start after outlet_open(). */
struct outlet {
	struct event_stream stream; /* its source is "" until it is named */
	struct outbox outbox;
	struct store store;
	const struct outlet_options *options;
	const struct outlet_owner *owner;
	void *context;
	struct rec_writer writer;
	struct metrics_cell *kept; /* number of events in the outbox */
	enum outlet_change change; /* since the last save, of the whole content */
	/* numbers by source from the acks file as last read; NULL: not read yet */
	json_t *acked;
	char receiver[ACKS_RECEIVER_SIZE]; /* latest name seen; "": none yet */
	/* write unacknowledged events again: the receiver or the stream changed */
	bool again;
	bool overfull; /* the outbox is full, and that was reported */
	bool forked;   /* the stream is not the stored one */
	/* the outbox was long when it was saved, and its memory was not yet returned */
	bool had_many;
	struct stat acks; /* status of the acks file when last read */
	bool acks_bad;    /* the acks file is invalid, and that was reported */
	/* marks to pass on, by source, an object; NULL: no mark has ever arrived */
	json_t *marks;
	/* events from a state file that appeared late, not written yet, an array; NULL: none */
	json_t *found;
};

/* Everything that is stored and written together. */
struct outlet_batch {
	/* Array of event records made with `stream`, in order. Their ids and numbers change if the
	 * state cannot be stored. */
	json_t *events;
	/* Array of records that are written after the events and not kept. If one holds in "event"
	 * the id of an event of the batch, it follows a change of that id. NULL: none. */
	const json_t *after;
	/* change of the tool's part of the state since the last batch; events are always stored at
	 * once */
	enum outlet_change change;
	const char *ts; /* time of the batch, for the name of a new stream */
	/* the same in the tool's time, usually CLOCK_BOOTTIME, for OUTLET_LAG_NS */
	uint64_t now_ns;
};

/* Create an empty stream and outbox, and a writer to `fd`. `options`, `owner` and `context` are
 * kept, not copied. Return 0, or -1 when out of memory; call outlet_fini() in both cases. */
int outlet_init(struct outlet *outlet, const struct outlet_options *options,
	const struct outlet_owner *owner, void *context, int fd);

/* Lock the state file and read it. Ignore SIGXFSZ from then on, so that a write beyond RLIMIT_FSIZE
 * fails with EFBIG. Return 0, or the exit code after reporting the error: see store_open(). */
int outlet_open(struct outlet *outlet);

/* Write the unacknowledged events of the last run, unchanged. Return 0, or -1 with errno. */
int outlet_resend(struct outlet *outlet);

/* Return true if the receiver knows later events of the stream than this process, as after an older
 * state file was restored. It would take new events with their numbers for repeated ones. */
bool outlet_is_behind(const struct outlet *outlet);

/* Return true if the state is that of another node than `node`, which may be NULL. */
bool outlet_is_of_other_node(const struct outlet *outlet, const char *node);

/* Call before making the events of a batch. Name the stream if it has no name yet, see
 * event_stream_init(), and set its node. If the receiver has more of the stream than the state file
 * knew, as after an older file was put back, switch to another stream, with a warning. Also switch
 * if the state is that of another node. `node`, at most REC_NODE_MAX_BYTES, and `boot_id` may be
 * NULL. */
void outlet_name_stream(
	struct outlet *outlet, const char *node, const char *boot_id, const char *ts);

/* Store the state with the events, if that is due, then write them. If storing fails, warn and
 * write the events in another stream: after a restart from the old file, this stream would give
 * their numbers to other events, which the receiver would take for repeated ones. Return 0, or -1
 * with errno: ENOMEM, or that of the write.
 *
 * If the receiver or the stream changed, write all earlier unacknowledged events first, unchanged:
 * perhaps only the last receiver has read them. */
int outlet_send(struct outlet *outlet, const struct outlet_batch *batch);

/* Accept a record of kind "mark", `length` bytes of text, if it is one. Pass the mark on with this
 * batch or a later one, or at once if no state is kept or the mark covers nothing. Call when the
 * events from all records before it are written. Return 0 with `*is_mark`, or -1 with errno. */
int outlet_take_mark(struct outlet *outlet, const char *text, size_t length, bool *is_mark);

/* Return how long the tool may wait for input before it sends a batch, which may be empty:
 * OUTLET_LAG_NS, or OUTLET_LOOK_NS while an acknowledgement is awaited. */
uint64_t outlet_patience_ns(const struct outlet *outlet);

/* Store pending changes, and `change` of the tool's part since the last batch. Warn on failure. */
void outlet_finish(struct outlet *outlet, enum outlet_change change, uint64_t now_ns);

/* Release the lock and free everything. */
void outlet_fini(struct outlet *outlet);

#endif
