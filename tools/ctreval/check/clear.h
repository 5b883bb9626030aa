/* clear - what an operator has repaired: a counter that is in breach is taken back once
 * (spec#counter-cleared). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CLEAR_H
#define CTREVAL_CLEAR_H

#include "evaluation.h"
#include "silence.h"

/* The act that clears this counter of the port, and is still to be done; NULL: there is none. */
const struct silence *clear_find(const struct evaluation *evaluation,
	const struct scanrec_port *port, const struct counter_def *def);

/* The scan has been judged: remembers which acts are done, and forgets those that are in the file
 * no more. */
void clear_settle(struct evaluation *evaluation);

#endif
