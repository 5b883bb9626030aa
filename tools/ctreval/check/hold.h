/* hold - stateCheck.portStateHoldDown: a port that was healthy and is not is reported when it has
 * not been healthy for that long (spec#hold-down). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_HOLD_H
#define CTREVAL_HOLD_H

#include "evaluation.h"

/* What a hold-down makes of one sight of a port that was healthy until now. */
enum hold_verdict {
	HOLD_NONE,  /* nothing is held: the sight counts */
	HOLD_KEEPS, /* nothing is to be said yet */
	HOLD_ENDS,  /* healthy again before anything was said */
	HOLD_DUE,   /* not healthy for long enough: the sight counts */
};

/* Returns the verdict for a sight at `now_ns` (CLOCK_BOOTTIME), and remembers it. `hold_ns`: how
 * long a port is held, 0: none is. With HOLD_ENDS and HOLD_DUE `*memory` is as it was, for the
 * caller to tell of and to clear. */
enum hold_verdict hold_step(
	struct hold_memory *memory, enum port_sight sight, uint64_t now_ns, uint64_t hold_ns);

/* The same for a port of the scan whose state can be read. */
enum hold_verdict hold_eval(struct evaluation *evaluation, const struct scan_port *port,
	struct port_entry *entry, enum port_sight sight);

/* True for a port that is not healthy and counts as healthy all the same, because it is held, or
 * will be by this scan. */
bool hold_covers(const struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry);

/* For how long the port has been held when the scan read it, nanoseconds; 0: it is not held. */
uint64_t hold_duration_ns(const struct scan_port *port, const struct port_entry *entry);

#endif
