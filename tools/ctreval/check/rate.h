/* rate - the rates of a scan's ports: when one that is below its peers' is an event
 * (spec#rate-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_RATE_H
#define CTREVAL_RATE_H

#include "evaluation.h"

/* Judges the rate of every port whose check's turn it is, in the scan's order; while the first
 * verdicts wait, only looks. */
void rate_eval(struct evaluation *evaluation);

#endif
