/* counterexplain - decision records about counters: what was compared with what, and why there was
 * or was not an event (ctreval --explain). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_COUNTEREXPLAIN_H
#define CTREVAL_COUNTEREXPLAIN_H

#include "evaluation.h"

/* A counter that was judged. `said` is the event that came of it, or NULL. */
void counterexplain_finding(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const struct counter_memory *memory,
	const struct counter_sample *now, const struct counter_finding *finding,
	const json_t *said);

/* A counter that was not: it is not watched, or the port does not have it. */
void counterexplain_none(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, bool watched);

/* What is said of a counter besides its threshold. */
void counterexplain_event(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const json_t *said, const char *reason);

#endif
