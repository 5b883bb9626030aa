/* rate - ports with a lower rate than their peers, and when that is an event (spec#rate-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_RATE_H
#define CTREVAL_RATE_H

#include "evaluation.h"

/* Evaluate the rates of all ports in the order of the scan, or those of evaluation->only; while the
 * first verdicts are deferred, only explain. */
void rate_eval(struct evaluation *evaluation);

/* An extra scan shows that the port is not up: it must be below its peers for settleSeconds anew.
 */
void rate_lose_link(struct evaluation *evaluation, struct port_entry *entry);

#endif
