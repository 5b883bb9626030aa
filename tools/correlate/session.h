/* session - one run of correlate: events in, what was found stored, and written. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_SESSION_H
#define CORRELATE_SESSION_H

#include "metrics.h"
#include "rules.h"

struct session_options {
	uint64_t lateness_ns;
	const char *strategy;    /* of what is found */
	bool explain;            /* write why, of all groups */
	bool live;               /* time goes on by the clock, whether or not events come */
	const char *spool_path;  /* where events are read, and none is passed on; NULL: on stdin */
	const char *state_path;  /* NULL: nothing is kept */
	const char *acks_path;   /* NULL: an event that was written counts as received */
	struct metrics *metrics; /* nullable */
};

/* Runs until the end of input or a request to stop. Returns the exit code; what went wrong has been
 * said. */
int session_run(const struct session_options *options, const struct rules *rules);

#endif
