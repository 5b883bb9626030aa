/* sources - tracks how much of each writer's stream has arrived, and decides about an event that
 * arrives again or too early (spec#order-of-source). Pure.
 *
 * A writer numbers its events from 1 and writes them in order. It keeps the unacknowledged ones and
 * writes them again, in order, when it starts and when it sees that its receiver was restarted
 * (nic-health-monitor-records(5), acks file). So a number that does not follow the last one has one
 * of these reasons:
 *
 *   it arrived before      it is known, and not accepted again
 *   emit has just started  the previous emit was killed after it had read the missing events and
 *                          before it stored them. The writer will write them again; until then the
 *                          event is held back, so that the order is kept
 *   a line was damaged     the same, once the writer has been made to write it again
 *   it was left out        by a filter between the writer and emit, since a pipe loses nothing: the
 *                          event is accepted, and the missing ones count as received
 *
 * The writer also shows when emit need not wait, because it starts again with its oldest event: if
 * a held event arrives once more, and no line was lost in between, the events missing before it
 * will never arrive. Writers that read no acks write nothing again, so nothing is held back. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SOURCES_H
#define EMIT_SOURCES_H

#include "mark.h"
#include "num.h"

#include <stddef.h>

/* Most streams that are remembered; each boot of a node starts two. The stream that has been silent
 * longest is forgotten first. */
#define SOURCES_MAX 1024

/* Longest time to hold an event back, ns. It does not apply while the supervisor knows that a
 * writer will be restarted. */
#define SOURCES_HOLD_NS (10 * NUM_NS_PER_S)

struct source {
	char *name;
	/* each event up to this one was accepted or will never arrive, except the missing ones */
	uint64_t accepted;
	/* emit stopped waiting for these, they may arrive late; 0: none */
	uint64_t missing_from, missing_to;
	uint64_t stored; /* highest seq to acknowledge: none up to it is missing */
	/* last acknowledged to the writer, also by an earlier emit */
	uint64_t acked;
	uint64_t delivered; /* every sink has each event up to this one */
	bool sure;       /* the last event that arrived was accepted, and no line was lost since */
	bool unbroken;   /* no line was lost since the last event */
	bool complete;   /* no line was lost since the writer last began again */
	bool is_marked;  /* a mark set `accepted` */
	uint64_t latest; /* seq of the last event; a lower one after it: the writer begins again */
	uint64_t changed_ns; /* ns since 1970 */
};

struct sources {
	struct source *items;
	size_t count, capacity;
	size_t latest;     /* index of the last one looked up */
	bool acknowledges; /* there is an acks file for the writers */
	bool by_marks;     /* count by marks instead of by events */
};

enum arrival {
	ARRIVAL_ACCEPT,
	ARRIVAL_KNOWN,
	ARRIVAL_HOLD,
};

/* Restore a stream from the spool. A known stream keeps the higher number. Return 0, or -1 if
 * memory runs out. */
int sources_restore(
	struct sources *sources, const char *name, uint64_t stored, uint64_t changed_ns);

/* Restore a new stream from the acks file, which is trusted until the spool can be read. Return 0,
 * or -1 if memory runs out. */
int sources_restore_acks(
	struct sources *sources, const char *name, uint64_t acked, uint64_t delivered);

/* Copy the streams that were acknowledged, for comparison with a spool. Return 0, or -1 if memory
 * runs out. */
int sources_copy_acked(const struct sources *sources, struct sources *out);

/* Return the stream `name`, or NULL. Valid until another stream is added. */
struct source *sources_find(struct sources *sources, const char *name);

/* Number of events that were acknowledged and are not in the spool. */
struct sources_lost {
	uint64_t delivered; /* every sink already has them */
	uint64_t asked;     /* their writers have to write them again */
};

/* Compare what was acknowledged of a stream with its spool, which was just opened: `kept` is the
 * highest seq up to which every undelivered event is in the spool. Later events are no longer
 * acknowledged; emit expects them again: if `fresh` (no event has arrived yet) before any other
 * event of the stream, else as late ones. Add to `lost`. */
void source_compare(struct source *source, uint64_t kept, bool fresh, struct sources_lost *lost);

/* Decide about event `seq` (from 1). `again`: it is held back already, and no line was lost since
 * it arrived. After ARRIVAL_ACCEPT the caller delivers the stream's held events with lower numbers
 * first, and asks sources_follow() about the others. `realtime_ns` since 1970. Return 0, or -1 if
 * memory runs out. */
int sources_arrive(struct sources *sources, const char *name, uint64_t seq, bool again,
	uint64_t realtime_ns, enum arrival *out);

/* Set `*seq` to the next number of a stream that emit writes itself, at least `least`, and count it
 * as arrived, also while events are counted by marks. `realtime_ns` since 1970. Return 0, or -1 if
 * memory runs out. */
int sources_number(struct sources *sources, const char *name, uint64_t least, uint64_t realtime_ns,
	uint64_t *seq);

/* Decide about the lowest of a stream's held events. */
enum arrival sources_follow(struct sources *sources, const char *name, uint64_t seq);

/* Accept `seq`, the lowest held event of the stream, without waiting any longer. The events missing
 * before it may still arrive; until then nothing after them is acknowledged. */
void sources_give_up(struct sources *sources, const char *name, uint64_t seq);

/* Note that the stream has no held events any more. */
void sources_settle(struct sources *sources, const char *name);

/* Advance a stream to a mark. Ignore the mark if earlier events of the stream were lost: they will
 * be written again. The first mark sets `by_marks`, and event numbers are no longer tracked: such
 * events come from more streams than SOURCES_MAX, and their writers read no acks. Return 0, or -1
 * if memory runs out. */
int sources_mark(struct sources *sources, const struct mark *mark, uint64_t realtime_ns);

/* Return true if a mark has to be stored in the spool, which otherwise happens only with an
 * event. */
bool sources_have_marks(const struct sources *sources);

/* Note that a line was lost: the next event of any stream may have a gap before it. */
void sources_doubt(struct sources *sources);

/* Return the highest seq to acknowledge once every accepted event is in the spool. */
uint64_t source_bound(const struct source *source);

/* Note that every accepted event is in the spool. */
void sources_kept(struct sources *sources);

/* Note that the spool holds the events up to `kept`, a copy of some streams. */
void sources_note_kept(struct sources *sources, const struct sources *kept);

/* Copy into `out` the streams with accepted events that are not known to be in the spool. Free
 * `out` with sources_fini() in both cases. Return 0, or -1 if memory runs out. */
int sources_copy_unkept(const struct sources *sources, struct sources *out);

/* Note that every sink has every stored event. Return true if anything changed. */
bool sources_delivered(struct sources *sources);

/* Return an object of `stored`, and of `delivered`, by stream; NULL if memory runs out. */
json_t *sources_acks_new(const struct sources *sources);
json_t *sources_delivered_new(const struct sources *sources);

/* Note that the writers were told sources_acks_new(). */
void sources_acked(struct sources *sources);

void sources_fini(struct sources *sources);

#endif
