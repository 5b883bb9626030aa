/* observe - records a scan's devices and ports in the state, and assigns interfaces' counters to
 * ports. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_OBSERVE_H
#define CTREVAL_OBSERVE_H

#include "evaluation.h"

/* Record the scan's devices and watched ports in the state, under their current names. Call this
 * before any check. */
void observe_scan(struct evaluation *evaluation);

/* Assign counters that are known only by their interface to the port that has the interface in this
 * scan; the others wait for a later scan. Call this before observe_scan(). Notes once if a breach
 * waits although the scan is complete. */
void observe_unplaced(struct evaluation *evaluation);

#endif
