/* fault - points at which a test kills the process: --kill-at. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_FAULT_H
#define EMIT_FAULT_H

#include "opt.h"

enum fault_point {
	FAULT_STORE, /* events are stored and not acknowledged yet */
	FAULT_SEND,  /* a sink accepted events that the spool does not count as delivered yet */
	FAULT_N
};

/* Row of a tool's option table. The value is `POINT` or `POINT:N`: the N-th pass of POINT raises
 * SIGKILL. */
#define FAULT_OPTION \
	"kill-at", "POINT[:N]", "for tests: die of SIGKILL at the N-th pass of store or send", \
		OPT_OTHER(fault_accept)
const char *fault_accept(void *target, const struct opt_given *given);

/* Count a pass of `point`, and raise SIGKILL at the configured one. */
void fault_pass(enum fault_point point);

#endif
