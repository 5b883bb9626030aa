/* deviceevent - errors of a device, its PCI function or its queues, as ibevent tells them: when
 * that is an event (spec#device-events). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_DEVICEEVENT_H
#define CTREVAL_DEVICEEVENT_H

#include "asyncrec.h"
#include "evaluation.h"

/* One kind is reported once in so long, with how often it has happened. */
#define DEVICEEVENT_PAUSE_NS (UINT64_C(60) * 1000 * 1000 * 1000)

/* True when a kind that has happened is to be said now, and then that is remembered. */
bool deviceevent_step(struct event_memory *memory, uint64_t now_ns);

/* Takes in an event. What is not about a device that is watched, or no error, says nothing. */
void deviceevent_accept(struct state *state, const struct asyncrec *event);

/* Reports what has happened to the devices that a scan has, and can read. */
void deviceevent_eval(struct evaluation *evaluation);

#endif
