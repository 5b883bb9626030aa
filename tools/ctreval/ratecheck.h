/* ratecheck - the rates of a scan's ports, compared with those of their peers. */
#ifndef CTREVAL_RATECHECK_H
#define CTREVAL_RATECHECK_H

#include "evaluation.h"
#include "peers.h"

/* errorCode of its events. */
#define RATECHECK_CODE "rate_below_peers"

/* Judges the rate of every port whose check's turn it is, in the scan's order; while the first verdicts wait, only looks. */
void ratecheck_judge(struct evaluation *evaluation);

#endif
