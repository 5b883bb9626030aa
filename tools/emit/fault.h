/* fault - points at which a test may have the process killed: --kill-at. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_FAULT_H
#define EMIT_FAULT_H

#include "opt.h"

enum fault_point {
	FAULT_STORE, /* events are in the spool, and not acknowledged yet */
	FAULT_SEND,  /* a sink has accepted events, and the spool does not know yet */
	FAULT_N
};

/* The row of a tool's table of options. Its value is `POINT` or `POINT:N`: the N-th time that POINT
 * is passed, the process gets a SIGKILL. */
#define FAULT_OPTION \
	"kill-at", "POINT[:N]", "for tests: be killed at the N-th pass of store or send", \
		OPT_OTHER(fault_accept)
const char *fault_accept(void *target, const struct opt_given *given);

/* Kills the process if it is time. */
void fault_pass(enum fault_point point);

#endif
