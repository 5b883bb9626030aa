/* session - one run of correlate: reads events, stores and writes findings. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_SESSION_H
#define CORRELATE_SESSION_H

#include "metrics.h"
#include "rules.h"

struct session_options {
	uint64_t lateness_ns;
	const char *strategy;    /* processingStrategy of derived events */
	bool explain;            /* write a decision for every group */
	bool live;               /* the clock drives the time, with or without events */
	const char *spool_path;  /* read events from here and pass none on; NULL: stdin */
	const char *state_path;  /* NULL: no state file */
	const char *acks_path;   /* NULL: a written event counts as received */
	struct metrics *metrics; /* NULL: no metrics page */
};

/* Run until the end of input or a stop request. Return the exit code; errors have been reported. */
int session_run(const struct session_options *options, const struct rules *rules);

#endif
