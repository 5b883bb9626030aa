/* journalspool - what the journal does with its spool, and what follows from the results. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALSPOOL_H
#define EMIT_JOURNALSPOOL_H

#include "journaldesk.h"

/* Opens it, takes over what is left of a broken one, and gives what is in memory the numbers after
 * it. With ERRAND_REPLACE what cannot be used is moved aside before, and what can be read of it is
 * taken over. */
enum database_status journal_open_spool(
	struct journal *journal, enum errand_kind kind, uint64_t now_ns);

/* Acts on the spool's answer: reports a failure, moves a broken file aside. True when it was OK. */
bool journal_accepts(struct journal *journal, enum database_status status, uint64_t now_ns);

/* Removes stored events up to this number from memory, and more of them when they are too many. */
void journal_drop_stored(struct journal *journal, uint64_t upto);

/* Stores what is in memory, acknowledges what is stored, and drops what need not be kept, each as
 * far as it is possible and due. */
void journal_store(struct journal *journal, uint64_t now_ns);
void journal_acknowledge(struct journal *journal, uint64_t now_ns);
void journal_drop_old(struct journal *journal, uint64_t delivered, uint64_t now_ns);

/* What has become of the counter of an event that stands (a record of kind update). It is for those
 * who look at the spool only: nothing is lost when it cannot be stored. */
void journal_update(struct journal *journal, const json_t *record);

/* Says how many events had to be dropped since it was said last, if any. */
void journal_report_lost(struct journal *journal);

#endif
