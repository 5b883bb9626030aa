/* journalread - events out of the journal: from the spool those that it has, from memory the rest;
 * and while the spool does not answer, all that memory still has. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALREAD_H
#define EMIT_JOURNALREAD_H

#include "journalspool.h"

/* Number of the last event. */
uint64_t journal_last(const struct journal *journal);

/* Appends events after number `after` and up to `upto` to the batch, oldest first, at most
 * `max_events` and, but for the first, `max_bytes`. 0, or -1 when there may be more but they cannot
 * be read now. */
int journal_read(struct journal *journal, uint64_t after, uint64_t upto, size_t max_events,
	size_t max_bytes, struct batch *batch);

/* What there is after number `after`. False when the spool cannot be read now: then it is what is
 * in memory. */
bool journal_measure(struct journal *journal, uint64_t after, struct owed *out);

/* Without a spool: forgets what every sink has. */
void journal_forget(struct journal *journal, uint64_t delivered);

#endif
