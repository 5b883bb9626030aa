/* outlet - how events leave a tool that remembers: they are stored before they are written, and
 * written again until they are acknowledged (arch#nothing-lost).
 *
 * It owns the stream of events, the outbox, the state file and the writer. The tool decides, and
 * owns the rest of what is in the state file. In a run:
 *
 *   outlet_init()
 *   outlet_open()    takes up what the last run has left, by way of the owner's decode()
 *   outlet_resend()  writes what nobody has acknowledged
 *   for each batch of input: outlet_name_stream(), make events with `stream`, outlet_send()
 *   outlet_finish()  stores what may have waited
 *   outlet_fini()
 *
 * A batch is what the tool stores and writes in one go: a scan, or all the lines that one read has
 * brought. Without a state file the same calls write the events and do nothing else.
 *
 * Where marks come by (mark.h), the outlet writes marks for its own events, too: the receiver goes
 * by them then. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_OUTLET_H
#define NHM_OUTLET_H

#include "acks.h"
#include "mark.h"
#include "metrics.h"
#include "outbox.h"
#include "store.h"

#include <sys/stat.h>

/* How long a change that may wait does so, nanoseconds in the time of the batches. */
#define OUTLET_LAG_NS (UINT64_C(5) * 1000 * 1000 * 1000)

/* Poll interval of the acks file, nanoseconds. It is shorter than the time for which emit holds
 * events back, so that a new emit gets the events that were lost with the old one in time. */
#define OUTLET_LOOK_NS (UINT64_C(1) * 1000 * 1000 * 1000)

/* What of the tool's part of the state is newer than the file. */
enum outlet_change {
	OUTLET_SAME,
	OUTLET_MAY_WAIT, /* a restart can do with what is older by OUTLET_LAG_NS */
	OUTLET_AT_ONCE,
};

/* The tool's part of the state file. Each gets the tool's context. `stream` and `outbox` are in the
 * same JSON object: decode() and encode_new() call outbox_decode() and outbox_encode() for them. */
struct outlet_owner {
	int version; /* of the content, see store_check_version() */

	/* Takes a content, any JSON value, into an empty state, and stream and outbox. 0, or -1
	 * with `*error` when it is not what this version writes, or memory ran out. */
	int (*decode)(void *context, const json_t *root, struct rec_error *error);

	/* Empties the state that decode() has left behind with -1. Stream and outbox are emptied by
	 * the outlet. */
	void (*reset)(void *context);

	/* The content as it is to be written, a text from malloc; NULL when memory ran out. */
	char *(*encode_new)(void *context);

	/* The event's id changed: replaces old_id by new_id in the state and in the other events of
	 * the batch. NULL: the tool stores no ids. */
	void (*renamed)(void *context, const char *old_id, const char *new_id);
};

struct outlet_options {
	const char *tool;       /* the stream is named after it */
	const char *state_path; /* NULL: nothing is kept */
	const char *acks_path;  /* NULL: an event that was written counts as received */
	const char *strategy;   /* processingStrategy of events that have none of their own */
	/* where it is said when the acks were looked at last, and how many events are in the
	 * outbox; nullable */
	struct metrics *metrics;
};

/* The tool uses the first two, and looks at store.start after outlet_open(). */
struct outlet {
	struct event_stream stream; /* source "" until it is named */
	struct outbox outbox;
	struct store store;
	const struct outlet_options *options;
	const struct outlet_owner *owner;
	void *context;
	struct rec_writer writer;
	struct metrics_cell *kept; /* how many events are in the outbox */
	enum outlet_change change; /* of all that is in the file, since it was written last */
	/* what is acknowledged, as the acks file said last; NULL: it has not been read */
	json_t *acked;
	char receiver[ACKS_RECEIVER_SIZE]; /* the latest one seen, "": none yet */
	/* what is not acknowledged is due again: for another receiver, or before another stream */
	bool again;
	bool overfull; /* the outbox is as long as it may be, which has been said */
	bool forked;   /* the stream is not the stored one */
	/* the outbox was long when it was stored, and its memory has not been given back */
	bool had_many;
	struct stat acks; /* the acks file as it was read last */
	bool acks_bad;    /* it was not an acks file, which has been said */
	/* what is to be passed on, an object of marks by source; NULL: no mark has ever come */
	json_t *marks;
	/* array of events of a file that appeared after the start, not written yet; NULL: none */
	json_t *found;
};

/* What is decided, stored and written together. */
struct outlet_batch {
	/* Array of event records made with `stream`, in order. Their names and numbers change when
	 * the state cannot be stored. */
	json_t *events;
	/* Array of records that are written after them, and are not kept; one whose "event" is the
	 * id of one of them follows it to another name. NULL: none. */
	const json_t *after;
	/* what the tool's part of the state is since the last batch; with events it is stored at
	 * once anyway */
	enum outlet_change change;
	const char *ts; /* the moment of the batch: a stream that must be left is named after it */
	/* the same in the tool's time, CLOCK_BOOTTIME as a rule, for OUTLET_LAG_NS */
	uint64_t now_ns;
};

/* An empty stream and outbox, and a writer to `fd`. `options`, `owner` and `context` are kept, not
 * copied. 0, or -1 when memory ran out; outlet_fini() in both cases. */
int outlet_init(struct outlet *outlet, const struct outlet_options *options,
	const struct outlet_owner *owner, void *context, int fd);

/* Locks the state file and takes up what it has; SIGXFSZ is ignored from then on, so that a file
 * that may grow no further is a write that fails. 0, or the exit code to end with, which has been
 * said: see store_open(). */
int outlet_open(struct outlet *outlet);

/* Writes what the last run decided and nobody has acknowledged, as it was. 0, or -1 with errno. */
int outlet_resend(struct outlet *outlet);

/* To be called before the events of a batch are made: names a stream that has no name yet, see
 * event_stream_init(), and says whose the events are. Leaves the stream for another one, with a
 * warning, when the receiver turns out to have more of it than the state file knew, as when an
 * older file was put back. `node`, at most REC_NODE_MAX_BYTES, and `boot_id` may be NULL. */
void outlet_name_stream(
	struct outlet *outlet, const char *node, const char *boot_id, const char *ts);

/* Stores the state with the events in it, if that is due, and then writes them. A state that cannot
 * be stored is a warning, and the events are written all the same, in another stream: after a
 * restart from the file as it is, this one would give their numbers to other events, which the
 * receiver would take for these. 0, or -1 with errno: ENOMEM, or what the write said.
 *
 * When the receiver is another one than before, or the stream is, all earlier events that nobody
 * has acknowledged are written first, as they were: it may be that only the last receiver read
 * them. */
int outlet_send(struct outlet *outlet, const struct outlet_batch *batch);

/* Takes a record of the kind "mark", in `length` bytes of text, if it is one: it is passed on with
 * this batch or a later one, and at once when nothing is kept, or it covers nothing. To be called
 * when all that came before it has been written. 0 with `*is_mark`, or -1 with errno. */
int outlet_take_mark(struct outlet *outlet, const char *text, size_t length, bool *is_mark);

/* How long the tool may wait for input until it sends a batch, empty if need be: OUTLET_LAG_NS, or
 * OUTLET_LOOK_NS while an acknowledgement is awaited. */
uint64_t outlet_patience_ns(const struct outlet *outlet);

/* Stores what has waited, and `change` of the tool's part since the last batch. What goes wrong is
 * a warning. */
void outlet_finish(struct outlet *outlet, enum outlet_change change, uint64_t now_ns);

/* Gives up the lock and frees all. */
void outlet_fini(struct outlet *outlet);

#endif
