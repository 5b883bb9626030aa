/* counterexplain - decision records about counters: the values compared, and why there was or was
 * not an event (ctreval --explain). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_COUNTEREXPLAIN_H
#define CTREVAL_COUNTEREXPLAIN_H

#include "evaluation.h"

/* Explain a counter that was evaluated. `said`: the event that resulted, or NULL. */
void counterexplain_finding(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const struct counter_memory *memory,
	const struct counter_sample *now, const struct counter_finding *finding,
	const json_t *said);

/* Explain a counter that was not evaluated: not watched, or the port does not have it. */
void counterexplain_none(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, bool watched);

/* Explain an event about a counter that its threshold did not cause, or why there is none. */
void counterexplain_event(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const json_t *said, const char *reason);

#endif
