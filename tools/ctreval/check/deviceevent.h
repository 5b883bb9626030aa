/* deviceevent - errors of a device, its PCI function or its queues, as ibevent reports them
 * (spec#device-events). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_DEVICEEVENT_H
#define CTREVAL_DEVICEEVENT_H

#include "asyncrec.h"
#include "evaluation.h"
#include "num.h"

/* Minimum time between two reports of one kind; each has the number of occurrences. */
#define DEVICEEVENT_PAUSE_NS (60 * NUM_NS_PER_S)

/* Return true if occurrences of this kind are to be reported now, and record that. */
bool deviceevent_step(struct event_memory *memory, uint64_t now_ns);

/* Record an event. Ignores events that are not errors of a watched device. */
void deviceevent_accept(struct state *state, const struct asyncrec *event);

/* Report the recorded errors of the scan's readable devices. */
void deviceevent_eval(struct evaluation *evaluation);

#endif
