/* journalparts - what the parts of the journal have of one another: journal.c, journalin.c, journalspool.c. */
#ifndef EMIT_JOURNALPARTS_H
#define EMIT_JOURNALPARTS_H

#include "journal.h"

/* --- journalin.c --- */

/* Takes another name: writers that see it write again what is not acknowledged. */
void journal_name_receiver(struct journal *journal);

/* Of the source whose event has been held back longest, takes the lowest, whatever is missing before it. 0, or -1 when memory ran out. */
int journal_give_up_waiting(struct journal *journal, uint64_t now_ns);

/* --- journalspool.c --- */

/* True when the spool is open and has all that it should have. */
bool journal_is_usable(const struct journal *journal);

/* Opens it, takes over what is left of a broken one, and gives what is in memory the numbers behind it. */
enum database_status journal_open_spool(struct journal *journal);

/* What cannot be used is moved aside, and a new one takes over what can be read of it. */
enum database_status journal_replace_spool(struct journal *journal);

/* Says that it does not work, once, and when to try again. */
void journal_note_failing(struct journal *journal, uint64_t now_ns);

/* Stores what is in memory, says what is stored, and drops what need not be kept, each as far as it is possible and due. */
void journal_store(struct journal *journal, uint64_t now_ns);
void journal_acknowledge(struct journal *journal, uint64_t now_ns);
void journal_drop_old(struct journal *journal, uint64_t delivered, uint64_t now_ns);

/* Says how many events had to be dropped since it was said last, if any. */
void journal_say_lost(struct journal *journal);

#endif
