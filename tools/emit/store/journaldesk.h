/* journaldesk - runs the journal's errands (desk.h), limits how long a round of the loop waits for
 * them, and tracks the state of the spool. `now_ns` is CLOCK_MONOTONIC. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALDESK_H
#define EMIT_JOURNALDESK_H

#include "journalstate.h"

/* --- errands --- */

/* Return an errand to fill in, for journal_ask(), which waits for its end within the round's limit.
 * NULL while another errand is late; never NULL if journal_is_usable(). */
struct errand *journal_errand(struct journal *journal, enum errand_kind kind);
enum database_status journal_ask(struct journal *journal);

/* Free the errand's data, unless `status` is DATABASE_LATE: then it is still running, and its
 * result will be discarded. */
void journal_end_errand(struct journal *journal, enum database_status status);

/* Return true if a late errand has ended; its result can be used. */
bool journal_take_late(struct journal *journal);

/* Return since when the disk has not answered, CLOCK_MONOTONIC; 0: it does not hang. */
uint64_t journal_hangs_since_ns(const struct journal *journal);

/* Return when a late errand has to be reported as hanging; UINT64_MAX: never. */
uint64_t journal_will_hang_at_ns(const struct journal *journal);

/* Return a descriptor that is readable when a late errand has ended; -1: none. */
int journal_fd(const struct journal *journal);

/* --- the state of the spool --- */

/* Return true if the spool is open, has imported any broken one, and can be accessed now. */
bool journal_is_usable(const struct journal *journal);

/* Return true if stored events outlive the process. */
bool journal_is_durable(const struct journal *journal);

/* Return true if the spool works, as far as is known. */
bool journal_has_spool(const struct journal *journal);

/* Return the highest number that is always read from the spool. */
uint64_t journal_stored(const struct journal *journal);

/* Return whether the spool knows each sink's position; note that it does, for opening `opened`.
 * Until then nothing is stored in it: after a crash a sink that the spool does not know would get
 * none of its events. */
bool journal_knows_sinks(const struct journal *journal);
void journal_know_sinks(struct journal *journal, unsigned opened);

/* Report once that the spool does not work, and schedule a retry; report that it works again. */
void journal_note_failing(struct journal *journal, uint64_t now_ns);
void journal_note_working(struct journal *journal);

/* Set `stored` of each source to 0: a new spool knows none of them. */
void journal_forget_stored(struct journal *journal);

/* Choose a new receiver name: writers that see it write unacknowledged events again. */
void journal_name_receiver(struct journal *journal);

#endif
