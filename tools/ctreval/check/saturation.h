/* saturation - counters that stand at the end of their width: when that is an event
 * (spec#counter-saturation). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_SATURATION_H
#define CTREVAL_SATURATION_H

#include "evaluation.h"

enum saturation_verdict { SATURATION_QUIET, SATURATION_STANDS, SATURATION_ENDED };

/* Whether a counter that was at its `maximum` (counter_maximum(), not 0) when first seen has not
 * moved since, or moves again. To be called before counter_step() with the same value. */
enum saturation_verdict saturation_step(
	struct counter_memory *memory, uint64_t maximum, uint64_t value);

/* Says of a counter that is watched when it is found to stand at its end, and when it moves again.
 * To be called before counter_step() takes the reading in. */
void saturation_eval(struct evaluation *evaluation, const struct counter_reading *reading);

/* Says again that it stands there: receivers have forgotten it. */
void saturation_report_again(struct evaluation *evaluation, const struct port_entry *entry,
	const struct counter_def *def);

#endif
