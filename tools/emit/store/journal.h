/* journal - all events in one order; each sink reads them at its own pace, from memory until the
 * spool has them, then from the spool.
 *
 * Without a spool events exist in memory only. While a spool does not work, events stay in memory;
 * they are sent but not acknowledged, and are stored when it works again.
 *
 * A thread (desk.h) accesses the spool, and a round of the loop waits for it at most 2 s in total.
 * If the disk takes longer, it hangs, and the spool counts as not working: the errand continues
 * with its data, and its result is used when it has ended.
 *
 * `now_ns` is CLOCK_MONOTONIC. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNAL_H
#define EMIT_JOURNAL_H

#include "journalask.h"
#include "journalread.h"

/* Open the journal; `options` is kept. Return 0, or the exit code after reporting the error:
 * EXIT_TRY_LATER if another process delivers from the spool, EXIT_CONFIG if the file is no spool of
 * this version, EXIT_NO_PERMISSION if another user may write to the spool or the acks. A spool that
 * does not work is no error. */
int journal_open(struct journal *journal, const struct journal_options *options,
	const struct routing *routing);

/* Append an event of emit's own, whose number is from sources_number(), and take ownership of
 * `line` (from malloc, with its newline), also on failure. Return 0, or -1 if memory runs out. */
int journal_add_own(struct journal *journal, const struct facts *facts, char *line, size_t length,
	uint64_t now_ns);

/* Add an event and take ownership of `line` (from malloc, with its newline), also on failure. The
 * event is appended, held back, or dropped as a duplicate. Return 0, or -1 if memory runs out. */
int journal_add(struct journal *journal, const struct facts *facts, char *line, size_t length,
	uint64_t now_ns);

/* Handle a mark: acknowledge it when all earlier events are stored. Held events are accepted, in
 * order of arrival. Return 0, or -1 if memory runs out. */
int journal_mark(struct journal *journal, const struct mark *mark, uint64_t now_ns);

/* At the end of input: accept the held events, except those whose writers will come back and write
 * them again, after the missing ones. Return 0, or -1 if memory runs out. */
int journal_wait_no_longer(struct journal *journal, uint64_t now_ns);

/* Note that an input line was lost: if it was an event, its writer has to write it again. */
void journal_doubt(struct journal *journal);

/* Store new events, write the acks, and do other work that is due. `delivered`: every sink has the
 * events up to this number, or JOURNAL_UNASKED. Call it after each reading of inputs, and at
 * journal_wakes_at_ns(). */
void journal_keep(struct journal *journal, uint64_t delivered, uint64_t now_ns);

/* Return when to call it next, CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t journal_wakes_at_ns(const struct journal *journal);

/* Note that every sink has the events up to `delivered`, as for journal_keep(). The acks tell the
 * writers soon. */
void journal_note_delivered(struct journal *journal, uint64_t delivered);

/* Apply the retention limits to the spool, if that is due. `delivered` as for journal_keep(). Call
 * it after each journal_keep(), when the sinks have taken what they take at once: a full spool
 * drops events that a sink lacks, and a sink that works should not lack them because another one is
 * dead. */
void journal_retain(struct journal *journal, uint64_t delivered, uint64_t now_ns);

/* Call journal_keep() for the last time, without delaying the acks. */
void journal_finish(struct journal *journal, uint64_t delivered, uint64_t now_ns);

/* Return false while memory is full: read no more input. */
bool journal_has_room(const struct journal *journal);

/* Return false, and free nothing, if the disk hangs: the thread uses the memory until the process
 * ends. */
bool journal_fini(struct journal *journal);

#endif
