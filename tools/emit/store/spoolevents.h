/* spoolevents - adds events to the spool and reads them. A new event is checked for an answer that
 * arrived before it (clearing.h) and opens or ends conditions (conditions.h). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SPOOLEVENTS_H
#define EMIT_SPOOLEVENTS_H

#include "../in/facts.h"
#include "batch.h"
#include "spool.h"

/* One durable transaction: begin, add, commit or give up. Add events in the order of their numbers,
 * which must be higher than all stored ones; `last_number` is the last. An event whose (source,
 * seq) is stored already is skipped. spool_add_line() parses the facts. `sources`: streams to
 * store; NULL if not every accepted event is stored by then. */
enum database_status spool_begin_events(struct spool *spool);
enum database_status spool_add_event(struct spool *spool, uint64_t number,
	const struct facts *facts, const char *line, size_t length, uint64_t received_ns);
enum database_status spool_add_line(struct spool *spool, uint64_t number, const char *line,
	size_t length, uint64_t received_ns);
enum database_status spool_commit_events(
	struct spool *spool, uint64_t last_number, const struct sources *sources);
void spool_give_up_events(struct spool *spool);

/* Hash of a record, without its newline, for the column record_hash. 0 in that column: stored by an
 * older emit, not checked. */
int64_t spool_hash(const char *record, size_t length);
bool spool_is_as_stored(const char *record, size_t length, int64_t hash);

/* Append the events after number `after` and up to `upto` to the batch, oldest first, until it has
 * `max_events` or `max_bytes`; one always fits. Return CORRUPT if the first event does not match
 * its hash. */
enum database_status spool_read(struct spool *spool, uint64_t after, uint64_t upto,
	size_t max_events, size_t max_bytes, struct batch *batch);

#endif
