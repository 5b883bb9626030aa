/* positions - up to which event each sink has been served: kept in the spool, so that a restart
 * continues there. `now_ns` is CLOCK_MONOTONIC. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_POSITIONS_H
#define EMIT_POSITIONS_H

#include "out/sink.h"
#include "sinkkinds.h"

struct positions {
	struct journal *journal; /* it and the sinks are borrowed */
	struct sink *sinks;
	size_t sink_count;
	unsigned opened; /* journal->opened when that spool was last handled; 0: none was */
};

/* Return the number up to which every sink has the events; JOURNAL_UNASKED until the first spool
 * has been opened, which may know other positions. */
uint64_t positions_delivered(const struct positions *positions);

/* Store the position of a sink in the spool if it has changed. On failure it is stored later; after
 * a crash before that the sink gets some events again. */
void positions_store(const struct positions *positions, struct sink *sink, uint64_t now_ns);

/* After a spool was opened: read the positions from it if it is the first one of the run, then
 * store the positions in it. Return true if it has just come to know all sinks. */
bool positions_settle(struct positions *positions, uint64_t now_ns);

#endif
