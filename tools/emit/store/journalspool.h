/* journalspool - opens, fills and trims the journal's spool, writes the acks, and handles the
 * results. `now_ns` is CLOCK_MONOTONIC. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALSPOOL_H
#define EMIT_JOURNALSPOOL_H

#include "journaldesk.h"

/* Open the spool, import what is readable of a broken one, and raise the numbers of the events in
 * memory above the spool's. With ERRAND_REPLACE move a broken file aside first, and import it.
 * Return the errand's status; DATABASE_LATE while it, or an earlier one, is running. */
enum database_status journal_open_spool(
	struct journal *journal, enum errand_kind kind, uint64_t now_ns);

/* Handle a status: report a failure, replace a broken file. Return true if it is OK. */
bool journal_accepts(struct journal *journal, enum database_status status, uint64_t now_ns);

/* Drop stored events up to number `upto` from memory, and later ones if they are too large. */
void journal_drop_stored(struct journal *journal, uint64_t upto);

/* Store the events in memory; write the acks; apply the retention limits: each as far as possible
 * and due. */
void journal_store(struct journal *journal, uint64_t now_ns);
void journal_acknowledge(struct journal *journal, uint64_t now_ns);
void journal_drop_old(struct journal *journal, uint64_t delivered, uint64_t now_ns);

/* Store a counter's new value (a record of kind update) with the condition of its event. Only
 * readers of the spool use it, so a failure is ignored. */
void journal_update(struct journal *journal, const json_t *record);

/* Report how many undelivered events were dropped since the last report, if any. */
void journal_report_lost(struct journal *journal);

#endif
