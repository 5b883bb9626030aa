/* clear - counters that an operator has cleared: a breach is withdrawn once
 * (spec#counter-cleared). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CLEAR_H
#define CTREVAL_CLEAR_H

#include "evaluation.h"
#include "silence.h"

/* Return the pending request that clears this counter of the port, or NULL. */
const struct silence *clear_find(const struct evaluation *evaluation,
	const struct scanrec_port *port, const struct counter_def *def);

/* Call this at the end of a scan: record the requests that are done, and forget those that are no
 * longer in the file. */
void clear_settle(struct evaluation *evaluation);

#endif
