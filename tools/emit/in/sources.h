/* sources - how far each writer's stream of events has come in, and what to do with an event that
 * comes again or too early (spec#order-of-source). Pure.
 *
 * A writer numbers its events from 1, writes them in order, keeps those that are not acknowledged,
 * and writes them again, in order, when it starts and when it sees that its receiver has started
 * anew (nic-health-monitor-records(5), acks file). So a number that does not follow has one of
 * these reasons:
 *
 *   it came before         it is known, and not accepted again
 *   we have just started   what is missing was read by a process that was killed before it had
 *                          stored it, and will come again: until then the event is held back, so
 *                          that the order is kept
 *   a line was damaged     the same, once the writer has been made to write it again
 *   it was left out        by a filter between the writer and us, since a pipe loses nothing: the
 *                          event is accepted, and what is missing counts as received
 *
 * The writer also shows when there is nothing to wait for, because it begins with the oldest event
 * that it has. When a held event comes once more, and no line was lost in between, the events that
 * are missing before it will never come. Writers that read no acks write nothing again, and nothing
 * is held back. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SOURCES_H
#define EMIT_SOURCES_H

#include "mark.h"

#include <stddef.h>

/* Streams that are remembered; each boot of a node begins two. Those that have been silent longest
 * are forgotten. */
#define SOURCES_MAX 1024

/* How long an event is held back at most, nanoseconds. There is no limit as long as the supervisor
 * knows that a writer will come back. */
#define SOURCES_HOLD_NS (UINT64_C(10) * 1000 * 1000 * 1000)

struct source {
	char *name;
	/* every event up to this one was accepted, or never will be, but for those that are missing
	 */
	uint64_t accepted;
	uint64_t missing_from, missing_to; /* waited for in vain, may come late; 0: none */
	uint64_t stored; /* what may be acknowledged: nothing up to it is missing */
	/* what the writer has been told to be stored, by this process or the one before it */
	uint64_t acked;
	uint64_t delivered; /* up to this one every sink has all, as far as is known */
	bool sure;      /* the last event that came was accepted, and no line has been lost since */
	bool unbroken;  /* no line has been lost since the last event that came */
	bool complete;  /* nor since its writer has last begun again with the oldest that it has */
	bool is_marked; /* what is accepted was said by a mark */
	uint64_t latest;     /* the last that came; a lower one after it: the writer begins again */
	uint64_t changed_ns; /* nanoseconds since 1970 */
};

struct sources {
	struct source *items;
	size_t count, capacity;
	size_t latest;     /* index of the one that was looked for last */
	bool acknowledges; /* there is an acks file for the writers to read */
	bool by_marks;     /* marks say what has come */
};

enum arrival {
	ARRIVAL_ACCEPT,
	ARRIVAL_KNOWN,
	ARRIVAL_HOLD,
};

/* What the spool says of a stream; one that is known keeps the higher number. 0, or -1 when memory
 * ran out. */
int sources_restore(
	struct sources *sources, const char *name, uint64_t stored, uint64_t changed_ns);

/* What the acks say of a stream that is new here: they are believed until the spool can be asked.
 * 0, or -1 when memory ran out. */
int sources_restore_acks(
	struct sources *sources, const char *name, uint64_t acked, uint64_t delivered);

/* Copies what compares streams with a spool: those that were acknowledged. 0, or -1 when memory ran
 * out. */
int sources_copy_acked(const struct sources *sources, struct sources *out);

/* The stream of that name; NULL when there is none. Valid until another one is added. */
struct source *sources_find(struct sources *sources, const char *name);

/* Events that were acknowledged and are not in the spool. */
struct sources_lost {
	uint64_t delivered; /* no sink needs them any more */
	uint64_t asked;     /* their writer is to write them again */
};

/* Compares what was acknowledged of a stream with what its spool, just opened, has: `kept` is the
 * last up to which none is missing that is not delivered. What is missing is no longer
 * acknowledged, and waited for: with `fresh`, when nothing has come yet, before anything else of
 * the stream; else it may come late. Adds to `lost`. */
void source_compare(struct source *source, uint64_t kept, bool fresh, struct sources_lost *lost);

/* What to do with an event, `seq` from 1; `again`: it is being held back, and no line was lost
 * since it came. After ACCEPT those of its stream that are held back and have lower numbers come
 * before it, and sources_follow() tells what becomes of the others. `realtime_ns` is the time since
 * 1970. 0, or -1 when memory ran out. */
int sources_arrive(struct sources *sources, const char *name, uint64_t seq, bool again,
	uint64_t realtime_ns, enum arrival *out);

/* What to do with the lowest of a stream's events that are held back. */
enum arrival sources_follow(struct sources *sources, const char *name, uint64_t seq);

/* The event, the lowest of those held back, has waited long enough, and counts as accepted. What is
 * missing before it may still come; until then nothing after it is acknowledged. */
void sources_give_up(struct sources *sources, const char *name, uint64_t seq);

/* Nothing of the stream is held back any longer. */
void sources_settle(struct sources *sources, const char *name);

/* A mark has come. What is missing before it was written and lost since, and will be written again.
 * From the first mark on the events themselves are not counted any longer, `by_marks`: they are of
 * more streams than are remembered, and their writers read no acks. 0, or -1 when memory ran
 * out. */
int sources_mark(struct sources *sources, const struct mark *mark, uint64_t realtime_ns);

/* Whether a mark is to be kept in the spool, which comes with no event when there was none. */
bool sources_have_marks(const struct sources *sources);

/* A line was lost: what follows may have something missing before it. */
void sources_doubt(struct sources *sources);

/* What may be acknowledged of a stream once everything that was accepted is in the spool. */
uint64_t source_bound(const struct source *source);

/* Everything that was accepted is in the spool now. */
void sources_kept(struct sources *sources);

/* What is said in `kept`, a copy of some, is in the spool now. */
void sources_note_kept(struct sources *sources, const struct sources *kept);

/* Copies the sources of which more was accepted than is known to be in the spool into `out`, which
 * is to be freed in both cases. 0, or -1 when memory ran out. */
int sources_copy_unkept(const struct sources *sources, struct sources *out);

/* Every sink has everything that is stored. True when that is news. */
bool sources_delivered(struct sources *sources);

/* What may be acknowledged, and what is delivered, each an object of integers; NULL when memory ran
 * out. */
json_t *sources_acks_new(const struct sources *sources);
json_t *sources_delivered_new(const struct sources *sources);

/* The first of these was told to the writers. */
void sources_acked(struct sources *sources);

void sources_fini(struct sources *sources);

#endif
