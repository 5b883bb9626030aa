/* saturation - counters that are stuck at their maximum, and when that is an event
 * (spec#counter-saturation). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_SATURATION_H
#define CTREVAL_SATURATION_H

#include "evaluation.h"

enum saturation_verdict { SATURATION_QUIET, SATURATION_STANDS, SATURATION_ENDED };

/* Update the memory by a value and return the verdict: the counter was at its `maximum`
 * (counter_maximum(), not 0) when first seen and has not moved since, or it moves again. Call this
 * before counter_step() with the same value. */
enum saturation_verdict saturation_step(
	struct counter_memory *memory, uint64_t maximum, uint64_t value);

/* Report that a watched counter is stuck at its maximum, or moves again. Call this before
 * counter_step(). */
void saturation_eval(struct evaluation *evaluation, const struct counter_reading *reading);

/* An operator has cleared the counter: if it is at its maximum, evaluate it as one that was first
 * seen there, because it cannot count what comes. */
void saturation_clear(struct evaluation *evaluation, const struct counter_reading *reading);

/* After the loss of the state file: report the counter as able to count if it is not at its
 * maximum, because an older report may be open. Return whether it was reported. */
bool saturation_baseline(struct evaluation *evaluation, const struct scan_port *port,
	enum layer layer, const struct counter_def *def);

/* Report the saturation again, after its report was withdrawn together with another. */
void saturation_report_again(struct evaluation *evaluation, const struct port_entry *entry,
	const struct counter_def *def);

#endif
