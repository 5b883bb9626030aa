/* counter - the counters of a port, and when their growth is an event (spec#counter-steps). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_COUNTER_H
#define CTREVAL_COUNTER_H

#include "evaluation.h"

/* Get the last known value of the counter. Return false if there is none. */
bool counter_last(const struct counter_memory *memory, uint64_t *out);

/* Return true if the value is below the last known one. */
bool counter_is_reset(const struct counter_memory *memory, uint64_t value);

/* Evaluate one sample. Updates `memory`, except for the breach's details. Samples must come in
 * order of time: one at the time of the snapshot allows no rate, and an earlier one becomes the new
 * snapshot. */
struct counter_finding counter_step(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now);

/* Record a sample of a counter whose growth until now is no fault: growth counts from here. */
void counter_restart(struct counter_memory *memory, const struct counter_sample *now);

/* Record a sample of a counter in breach that an operator has cleared: growth counts from here. */
struct counter_finding counter_clear(
	struct counter_memory *memory, const struct counter_sample *now);

/* Record a sample without evaluating it, while the first verdicts are deferred. The first value
 * becomes the snapshot, so that growth and the end of a breach in the meantime are evaluated
 * later. */
void counter_watch(struct counter_memory *memory, const struct counter_sample *now);

/* Evaluate every watched counter in the order of the configuration; while the first verdicts are
 * deferred, only record them, and within bootGrace not even that. */
void counter_eval(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

/* Send the baseline: a healthy event for every readable counter of this check. */
void counter_baseline(
	struct evaluation *evaluation, const struct scan_port *port, enum check check);

/* Report again every open breach and saturation of the port under this check (CHECK_N: any), except
 * those that this scan ends. Use it after their reports were withdrawn, because the port was
 * renamed or a report without a code was withdrawn. */
void counter_report_again(
	struct evaluation *evaluation, struct port_entry *entry, enum check check);

#endif
