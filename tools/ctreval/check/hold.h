/* hold - stateCheck.portStateHoldDown: delays the report of a port that was healthy
 * (spec#hold-down). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_HOLD_H
#define CTREVAL_HOLD_H

#include "evaluation.h"

/* The verdict on one sight of a port that was healthy so far. */
enum hold_verdict {
	HOLD_NONE,  /* not held: the sight counts */
	HOLD_KEEPS, /* held: report nothing yet */
	HOLD_ENDS,  /* healthy again before it was reported */
	HOLD_DUE,   /* unhealthy for long enough: the sight counts */
};

/* Update the memory by a sight at `now_ns` (CLOCK_BOOTTIME) and return the verdict. `hold_ns`: how
 * long a port is held; 0: not at all. HOLD_ENDS and HOLD_DUE leave `*memory` for the caller to
 * report and clear. */
enum hold_verdict hold_step(
	struct hold_memory *memory, enum port_sight sight, uint64_t now_ns, uint64_t hold_ns);

/* The same for a port of the scan whose state is readable. */
enum hold_verdict hold_eval(struct evaluation *evaluation, const struct scan_port *port,
	struct port_entry *entry, enum port_sight sight);

/* Return true if the port is unhealthy but still counts as healthy, because it is held or this scan
 * will hold it. */
bool hold_covers(const struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry);

/* Return how long the port had been held when the scan read it, ns; 0: it is not held. */
uint64_t hold_duration_ns(const struct scan_port *port, const struct port_entry *entry);

#endif
