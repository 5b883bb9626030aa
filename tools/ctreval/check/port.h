/* port - the state of a port: when it is an event (spec#port-health, spec#port-latch). */
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

/* What to do about a sight, and what to remember. */
enum port_action port_step(enum port_memory *memory, enum port_sight sight);

/* Judges the port; while the first verdicts wait, only looks. `evidence`: its card, or the
 * configuration, says that it should be healthy, which counts for a port that was never seen
 * before. */
void port_eval(struct evaluation *evaluation, const struct scan_port *port,
	struct port_entry *entry, bool evidence);

/* A port's state. `reason` NULL: as the table of port.c has it. */
void port_explain(struct evaluation *evaluation, const struct scan_port *port,
	enum port_memory before, enum port_memory after, const json_t *said, const char *reason);

#endif
