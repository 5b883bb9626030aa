/* clearing - which conditions a healthy event ends, by the rules of NVSentinel's receivers
 * (spec#conditions); and which events arrive after their answer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_CLEARING_H
#define EMIT_CLEARING_H

#include "../in/facts.h"
#include "batch.h"
#include "spool.h"

#include <stdbool.h>

/* Return true if a healthy event ends a condition of its node and check. `about` and `code` are the
 * condition's lists as in facts.h. The event
 *   - ends every condition of its check if it has no entities;
 *   - else ends the conditions that have all its entities, even if they have more;
 *   - of these, if it has codes, only those that have codes too, all of them among its own. (In
 *     the original one common code ends a node condition, and the one code of its key a
 *     quarantine. With the stricter rule [symbol_error, saturated] outlives the recovery of
 *     [link_downed, saturated].)
 * Pure. */
bool clearing_ends(const struct facts *healthy, const char *about, const char *code);

/* --- late events: those that arrive after an event that their writer wrote later ---
 *
 * A writer numbers its events in the order of its decisions. An event is late if it arrives when
 * one with a higher number is stored: emit stopped waiting for its writer, which has come back, or
 * a user mixed the lines. It is evaluated at its number, not at its arrival:
 *   - a fault is answered by a healthy event with a higher number that ends it;
 *   - a healthy event is answered by a standing fault with a higher number that it would end.
 *
 * A writer that could not store its stream continues in a new one. So an event of another stream
 * also counts as an answer if its agent is the same and its time is later: a writer gives each
 * event a later time than the previous one, across its streams and whatever the clock does. A time
 * in the future does not count, because the clock was set back since by an unknown amount.
 *
 * If accepted, an answered event would stand for good, or end a fault that stands. So it is kept as
 * history, opens and ends no condition, and is not delivered. */

/* Find the answer to event `number`, which was just stored, and store the answer's id with it.
 * `now_ns`: its arrival, since 1970. Set `*answered`. Call it in the transaction that stores the
 * event. */
enum database_status late_eval(struct spool *spool, const struct facts *facts, uint64_t number,
	uint64_t now_ns, bool *answered);

/* late_eval() checks the events that are delivered from the spool. While the spool does not work,
 * events are delivered from memory and checked here, on arrival. Pure.
 *
 * Return true if the queue has the answer to `event`, which has just arrived: a later healthy event
 * of its writer that ends it; or, if it is healthy, a later fault that stands and that it would
 * end. */
bool late_is_answered(const struct queue *queue, const struct facts *event);

#endif
