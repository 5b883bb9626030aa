/* fault - points at which a test may have the process killed: --kill-at. */
#ifndef EMIT_FAULT_H
#define EMIT_FAULT_H

enum fault_point {
	FAULT_STORE, /* events are in the spool, and not acknowledged yet */
	FAULT_SEND,  /* a sink has accepted events, and the spool does not know yet */
	FAULT_N
};

/* Takes `POINT` or `POINT:N`: the N-th time that POINT is passed, the process gets a SIGKILL. NULL, or why that will not do. */
const char *fault_arm(const char *text);

/* Kills the process if it is time. */
void fault_pass(enum fault_point point);

#endif
