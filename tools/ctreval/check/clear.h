/* clear - counters that an operator has cleared: a breach is withdrawn once
 * (spec#counter-cleared). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CLEAR_H
#define CTREVAL_CLEAR_H

#include "evaluation.h"
#include "silence.h"

/* Return the request that clears the counter, or NULL if none does or it is not in breach. A
 * request does not clear a breach that began after it, or after its `until`. */
const struct silence *clear_find(
	const struct evaluation *evaluation, const struct counter_reading *reading);

/* Call this at the end of a scan: record the requests that are done, and forget those that are no
 * longer in the file. A request is done once a scan had a port that it is about, and nothing is
 * left to clear. */
void clear_settle(struct evaluation *evaluation);

#endif
