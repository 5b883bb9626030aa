/* journal - all events that have come in, in one order, for every sink to read at its own pace: in
 * memory until the spool has them, in the spool from then on.
 *
 * Without a spool memory is all there is. While a spool does not work, events stay in memory; they
 * are sent, but not acknowledged, and are stored when it works again.
 *
 * The spool is in the hands of another thread (desk.h), and a round of the loop waits for it no
 * longer than 2 s in total. A disk that takes longer hangs, and then the spool does not work: the
 * errand goes on, what it needs stays as it is, and its result is taken when it has ended. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNAL_H
#define EMIT_JOURNAL_H

#include "journalask.h"
#include "journalread.h"

/* Begins; `options` is kept. 0, or the exit code to end with, which has been said: EXIT_TRY_LATER
 * when another process has the spool, EXIT_CONFIG when the file is somebody else's. A spool that
 * does not work is no reason to end. */
int journal_open(struct journal *journal, const struct journal_options *options,
	const struct routing *routing);

/* An event has come: `line` (from malloc, with its newline) is stolen in every case. It is in the
 * journal, or held back for a while, or known and dropped. 0, or -1 when memory ran out. */
int journal_add(struct journal *journal, const struct facts *facts, char *line, size_t length,
	uint64_t now_ns);

/* A mark has come, which is acknowledged when all that came before it is stored. What is held back
 * is accepted, in the order in which it came. 0, or -1 when memory ran out. */
int journal_mark(struct journal *journal, const struct mark *mark, uint64_t now_ns);

/* Nothing more will come: events that are held back are accepted as they are, except those that
 * their writer has kept. It will write these again when it is back, after what is missing now. 0,
 * or -1 when memory ran out. */
int journal_wait_no_longer(struct journal *journal, uint64_t now_ns);

/* A line of the input was lost: if it was an event, its writer has to write it again. */
void journal_doubt(struct journal *journal);

/* Stores what has come in, tells the writers, and does what is due. `delivered`: every sink has
 * everything up to this number, or JOURNAL_UNASKED. To be called after each reading of inputs and
 * when journal_wakes_at_ns() has come. */
void journal_keep(struct journal *journal, uint64_t delivered, uint64_t now_ns);
uint64_t journal_wakes_at_ns(const struct journal *journal);

/* Every sink has everything up to this number, as for journal_keep(): writers are told of it
 * soon. */
void journal_note_delivered(struct journal *journal, uint64_t delivered);

/* The last journal_keep(): what may have waited is done, too. */
void journal_finish(struct journal *journal, uint64_t delivered, uint64_t now_ns);

/* False while so much is in memory that no more should be read. */
bool journal_has_room(const struct journal *journal);

/* False when a disk hangs: what it was asked with must stay where it is until the process ends. */
bool journal_fini(struct journal *journal);

#endif
