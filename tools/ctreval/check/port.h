/* port - the state of a port, and when it is an event (spec#port-health, spec#port-latch). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_PORT_H
#define CTREVAL_PORT_H

#include "evaluation.h"

enum port_action {
	PORT_REPORT_NOTHING,
	PORT_REPORT_HEALTHY,
	PORT_REPORT_DEGRADED,
	PORT_REPORT_FATAL,
	PORT_NOTE_MUTED, /* one line on stderr, no event */
};

/* Update the memory by a sight and return what to report. */
enum port_action port_step(enum port_memory *memory, enum port_sight sight);

/* Evaluate the port's state; while the first verdicts are deferred, only record it. `evidence`: the
 * port's card or the configuration shows that it should be healthy; used for a port that is new. */
void port_eval(struct evaluation *evaluation, const struct scan_port *scanned,
	struct port_entry *entry, bool evidence);

/* Append a decision record about a port's state. `reason` NULL: derive it from the health. */
void port_explain(struct evaluation *evaluation, const struct scan_port *port,
	enum port_memory before, enum port_memory after, const json_t *said, const char *reason);

#endif
