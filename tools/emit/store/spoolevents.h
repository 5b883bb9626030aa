/* spoolevents - events into the spool, and out of it. What comes in is examined at once: whether
 * it was answered before it came (clearing.h), and which conditions it opens or ends
 * (conditions.h). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SPOOLEVENTS_H
#define EMIT_SPOOLEVENTS_H

#include "../in/facts.h"
#include "batch.h"
#include "spool.h"

/* One transaction, durable once it is committed: events are added in the order of their numbers,
 * which must be higher than all before, the last of them being `last_number`. An event whose
 * (source, seq) is there already is left out. What it says is read out of its line when it is not
 * at hand. `sources` may be NULL: not everything that was accepted is stored by then. */
enum database_status spool_begin_events(struct spool *spool);
enum database_status spool_add_event(struct spool *spool, uint64_t number,
	const struct facts *facts, const char *line, size_t length, uint64_t received_ns);
enum database_status spool_add_line(struct spool *spool, uint64_t number, const char *line,
	size_t length, uint64_t received_ns);
enum database_status spool_commit_events(
	struct spool *spool, uint64_t last_number, const struct sources *sources);
void spool_give_up_events(struct spool *spool);

/* What the column record_hash has for a record, without its newline; 0 there: an older emit has
 * stored it, and nobody knows. */
int64_t spool_hash(const char *record, size_t length);
bool spool_is_as_stored(const char *record, size_t length, int64_t hash);

/* CORRUPT when one of them is not what was stored. Appends events after number `after` and up to
 * `upto` to the batch, oldest first, until it has `max_events` or `max_bytes`; one always fits. */
enum database_status spool_read(struct spool *spool, uint64_t after, uint64_t upto,
	size_t max_events, size_t max_bytes, struct batch *batch);

#endif
