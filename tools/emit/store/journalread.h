/* journalread - reads events from the journal: stored ones from the spool, the others from memory.
 * While the spool does not answer, everything that is in memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALREAD_H
#define EMIT_JOURNALREAD_H

#include "journalspool.h"

/* Return the number of the last event. */
uint64_t journal_last(const struct journal *journal);

/* Append the events after number `after` and up to `upto` to the batch, oldest first, at most
 * `max_events`, and at most `max_bytes` except for the first. Return 0, or -1 if there may be more
 * that cannot be read now. */
int journal_read(struct journal *journal, uint64_t after, uint64_t upto, size_t max_events,
	size_t max_bytes, struct batch *batch);

/* Count the events after number `after`. If the spool cannot be read now, return false and count
 * those in memory. */
bool journal_measure(struct journal *journal, uint64_t after, struct owed *out);

/* Without a spool: drop the events that every sink has. */
void journal_forget(struct journal *journal, uint64_t delivered);

#endif
