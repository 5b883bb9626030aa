/* clearing - what a healthy event takes back, by the rules of NVSentinel's receivers
 * (spec#conditions); and which events come after the event that answers them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_CLEARING_H
#define EMIT_CLEARING_H

#include "../in/facts.h"
#include "batch.h"
#include "spool.h"

#include <stdbool.h>

/* Whether a healthy event ends a condition of its node and check, which is about `about` and has
 * the codes `code`, both as facts.h has them:
 *   - without entities it ends every condition of its check;
 *   - with entities it ends those that are about all of them, be they about more;
 *   - of these, when it has codes, those that have codes, all of which are among its own. (A node
 *     condition would go with one code in common, a key of the quarantine with its one code. Only
 *     so does [symbol_error, saturated] outlive the recovery of [link_downed, saturated].)
 * Pure. */
bool clearing_ends(const struct facts *healthy, const char *about, const char *code);

/* --- late events: those that come after what their writer wrote later ---
 *
 * A writer's numbers are the order in which it decided. An event that comes when one with a higher
 * number is stored is late: its writer was given up and has come back, or somebody has mixed the
 * lines. It counts as of its number, not as of now:
 *   - what is not healthy is answered by a healthy event with a higher number that takes it back;
 *   - what is healthy, by what was said with a higher number, still stands, and would be taken back
 *     by it.
 * A writer that has left its stream, since it could not store it, goes on in another one. So an
 * answer counts from another stream, too, if the agent is the same and its time is later: a writer
 * gives each event a later time than the one before, in its next stream as well, whatever the clock
 * does. A time in the future proves nothing, because the clock was set back since, and nobody knows
 * by how much.
 *
 * Believed, such an event would stand, or hide what stands, for good. It is kept for history, opens
 * and ends no condition, and no sink gets it. */

/* Looks for what answers an event, number `number`, that has just been stored, and notes it there.
 * `now_ns`: when it came, since 1970. `*answered`: there is such a thing. In the transaction in
 * which it is stored. */
enum database_status late_eval(struct spool *spool, const struct facts *facts, uint64_t number,
	uint64_t now_ns, bool *answered);

/* What is delivered out of the spool was examined when it was stored. While the spool does not
 * work, events are delivered out of memory: these are examined when they come. Pure.
 *
 * True when an event that has come now is answered by what its writer wrote after it, which is in
 * the queue already: it is not healthy, and a later healthy event takes it back; or it is healthy,
 * and would take back what was said later and stands. */
bool late_is_answered(const struct queue *queue, const struct facts *event);

#endif
