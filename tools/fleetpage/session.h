/* session - one run of fleetpage: events in, pages out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETPAGE_SESSION_H
#define FLEETPAGE_SESSION_H

#include "../fleetview/reading.h"

struct session_options {
	struct layoutfiles files;
	const char *address; /* see httpd.h */
	uint16_t port;       /* 0: any */
	bool stays;          /* when there are no more events */
};

/* Serves until it is asked to stop, or there are no more events. Returns the exit code. */
int session_run(const struct session_options *options);

#endif
