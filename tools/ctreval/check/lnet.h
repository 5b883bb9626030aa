/* lnet - what Lustre's network tells of a port's interface, by way of lnetread: when that is an
 * event (spec#lnet-events). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_LNET_H
#define CTREVAL_LNET_H

#include "evaluation.h"
#include "lnetrec.h"

/* In so many reads in a row a driver's failure must show while the port is ACTIVE: it may have come
 * up between two of them. */
#define LNET_FATAL_READS 2

/* How long failures are counted, and after how long what goes on is said again. */
#define LNET_WINDOW_NS (UINT64_C(600) * 1000 * 1000 * 1000)
#define LNET_PAUSE_NS (UINT64_C(3600) * 1000 * 1000 * 1000)

/* So many failures within the window are an event at once; fewer at its end, if they are more than
 * one of a hundred messages that were sent. */
#define LNET_FAILURES 10
#define LNET_FAILURES_MIN 3

/* Takes in a record. What is due then is told with the next scan. */
void lnet_accept(struct lnet_memory *memory, enum lnetrec_kind kind, const struct lnetrec *record);

/* Reports what is due of the scan's ports. */
void lnet_eval(struct evaluation *evaluation);

#endif
