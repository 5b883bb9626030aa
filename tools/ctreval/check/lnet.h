/* lnet - faults that Lustre's network (LNet) reports about a port's interface, from lnetread's
 * records (spec#lnet-events). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_LNET_H
#define CTREVAL_LNET_H

#include "evaluation.h"
#include "lnetrec.h"
#include "num.h"

/* An NI must show fatal_error in this many reads in a row while the port is ACTIVE: the port may
 * have come up between two reads. */
#define LNET_FATAL_READS 2

/* Window in which failures are counted, and minimum time between two reports of the same
 * fatal_error. */
#define LNET_WINDOW_NS (600 * NUM_NS_PER_S)
#define LNET_PAUSE_NS (3600 * NUM_NS_PER_S)

/* This many failures within a window are reported at once; at its end LNET_FAILURES_MIN are enough
 * if they are more than 1 % of the messages sent. */
#define LNET_FAILURES 10
#define LNET_FAILURES_MIN 3

/* Process a record. Its events are reported with the next scan. */
void lnet_accept(struct lnet_memory *memory, enum lnetrec_kind kind, const struct lnetrec *record);

/* Report what is due for the scan's ports. */
void lnet_eval(struct evaluation *evaluation);

#endif
