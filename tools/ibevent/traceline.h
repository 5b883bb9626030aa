/* traceline - a line of a tracefs instance's trace_pipe. Pure.
 *
 *	line  = task "-" pid " [" cpu "] " [flags " "] seconds "." digits ": " name ": " text
 *	task  = 16 columns, which a process chooses itself: nothing in them is trusted
 *	lost  = "CPU:" cpu " [LOST " number " EVENTS]"
 *
 *	name ": " text
 *	      = "cm_event_handler: cm.id=N src=ADDR:PORT dst=ADDR:PORT tos=N NAME (EVENT/STATUS)"
 *	      | ("ib_qp" | "ib_cq" | "ib_srq" | "ib_wq") ": (FUNCTION) event=N dev=" device
 *	      | "ib_event: (FUNCTION) event=N port=N dev=" device
 *
 * The first is a tracepoint of rdma_cma; the others are probes of kernel functions, whose names
 * ibevent(1) has. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_TRACELINE_H
#define IBEVENT_TRACELINE_H

#include "notice.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

enum traceline_status {
	TRACELINE_OTHER,  /* no line of these, or an event that tells of no failure */
	TRACELINE_NOTICE, /* `notice` is filled, but for the time, and for cm the device */
	/* the same, of a device or port: whoever has the device open is told as well */
	TRACELINE_OF_DEVICE,
	TRACELINE_MALFORMED, /* it begins as one of these, and goes on as none */
};

struct traceline_address {
	int family;            /* AF_INET or AF_INET6; AF_UNSPEC: the line has none */
	struct in6_addr bytes; /* zeros behind a shorter one */
};

/* Of a connection; they are in no record. */
struct traceline_ends {
	struct traceline_address here, peer;
};

/* Parses a line without its newline. `line` ends with a NUL. */
enum traceline_status traceline_parse(
	const char *line, struct notice *notice, struct traceline_ends *ends);

#endif
