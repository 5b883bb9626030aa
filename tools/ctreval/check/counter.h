/* counter - the counters of a port: when their growth is an event (spec#counter-steps). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_COUNTER_H
#define CTREVAL_COUNTER_H

#include "evaluation.h"

/* The value that the counter was last seen with; false when it never was. */
bool counter_last(const struct counter_memory *memory, uint64_t *out);

/* True when the counter has gone down since it was last seen. */
bool counter_is_reset(const struct counter_memory *memory, uint64_t value);

/* Takes one sample in: returns what is to be said about it, and updates `memory` but for its
 * breach's details. Samples must come in the order of time; of one that is not later than the
 * snapshot no rate can be measured, and an earlier one becomes the new snapshot. */
struct counter_finding counter_step(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now);

/* Takes one sample of a counter in breach in, which an operator has cleared: growth counts from
 * here. */
struct counter_finding counter_clear(
	struct counter_memory *memory, const struct counter_sample *now);

/* Takes one sample in without judging it, while the first scan's verdicts wait: the first value
 * seen becomes the snapshot, so that what happens meanwhile, the end of a breach too, is judged
 * later. */
void counter_watch(struct counter_memory *memory, const struct counter_sample *now);

/* Judges every counter that is watched, in the configuration's order; while the first verdicts
 * wait, only looks. */
void counter_eval(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

/* The baseline: a healthy event for every readable counter whose events carry this check's name. */
void counter_baseline(
	struct evaluation *evaluation, const struct scan_port *port, enum check check);

/* Reports again every breach of the port that stands under this check (CHECK_N: under any), except
 * those that this scan ends. Receivers have forgotten them: the port has another name now, or
 * something said without a code had to be taken back without one. */
void counter_report_again(
	struct evaluation *evaluation, struct port_entry *entry, enum check check);

#endif
