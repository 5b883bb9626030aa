/* traceline - parses a line of a tracefs instance's trace_pipe. Pure.
 *
 *	line  = task "-" pid " [" cpu "] " [flags " "] seconds "." digits ": " name ": " text
 *	task  = 16 columns, chosen by the process itself and therefore not trusted
 *	lost  = "CPU:" cpu " [LOST " number " EVENTS]"
 *
 *	name ": " text
 *	      = "cm_event_handler: cm.id=N src=ADDR:PORT dst=ADDR:PORT tos=N NAME (EVENT/STATUS)"
 *	      | ("ib_qp" | "ib_cq" | "ib_srq" | "ib_wq") ": (FUNCTION) event=N dev=" device
 *	      | "ib_event: (FUNCTION) event=N port=N dev=" device
 *
 * The first is a tracepoint of rdma_cma; the others are probes of kernel functions, which
 * ibevent(1) lists. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_TRACELINE_H
#define IBEVENT_TRACELINE_H

#include "notice.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

enum traceline_status {
	TRACELINE_OTHER,  /* another line, or an event that is no failure */
	TRACELINE_NOTICE, /* `notice` is filled, except the time, and for cm the device */
	/* the same, about a device or port: everyone who has the device open receives it, too */
	TRACELINE_OF_DEVICE,
	TRACELINE_MALFORMED, /* begins like one of these lines, but does not match */
};

struct traceline_address {
	int family;            /* AF_INET or AF_INET6; AF_UNSPEC: the line has none */
	struct in6_addr bytes; /* IPv4: 4 bytes, then zeros */
};

/* The addresses of a connection, which are in no record. */
struct traceline_ends {
	struct traceline_address here, peer;
};

/* Parse a line without its newline. `line` ends with a NUL. */
enum traceline_status traceline_parse(
	const char *line, struct notice *notice, struct traceline_ends *ends);

#endif
