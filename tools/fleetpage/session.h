/* session - one run of fleetpage: events in, pages out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETPAGE_SESSION_H
#define FLEETPAGE_SESSION_H

#include "../fleetview/reading.h"

struct session_options {
	struct layoutfiles files;
	const char *address; /* see httpd.h */
	uint16_t port;       /* 0: any free port */
	bool stays;          /* keep serving after the end of input */
};

/* Serve until a stop request or the end of input. Return the exit code. */
int session_run(const struct session_options *options);

#endif
