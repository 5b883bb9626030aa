/* session - one run of ctreval: records in, scans judged, state stored, events out, in this
 * order. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_SESSION_H
#define CTREVAL_SESSION_H

#include "checks.h"
#include "conf.h"
#include "metrics.h"

struct session_options {
	const char *state_path;    /* NULL: nothing is kept */
	const char *acks_path;     /* NULL: an event that was written counts as received */
	const char *silences_path; /* what operators have cleared; NULL: nothing */
	const char *strategy;      /* processingStrategy of the events */
	bool enabled[CHECK_N];
	bool baseline; /* owe one even without a state file */
	bool explain;
	uint64_t poll_stall_deadline_ns; /* 0: off */
	bool poll_stall_store_only;
	struct metrics *metrics; /* nullable */
	bool ingero_names;       /* see ingerometrics.h */
};

/* Runs until the end of input or a request to stop. Returns the exit code; what went wrong has been
 * said. */
int session_run(const struct session_options *options, const struct conf *conf);

#endif
