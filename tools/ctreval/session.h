/* session - one run of ctreval: reads records, evaluates scans, stores the state and writes events,
 * in this order. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_SESSION_H
#define CTREVAL_SESSION_H

#include "checks.h"
#include "conf.h"
#include "metrics.h"

struct session_options {
	const char *state_path;    /* NULL: keep no state */
	const char *acks_path;     /* NULL: written events count as received */
	const char *silences_path; /* operators' clear requests; NULL: none */
	const char *strategy;      /* processingStrategy of the events */
	bool enabled[CHECK_N];
	bool baseline; /* owe baselines even without a state file */
	bool explain;
	uint64_t poll_stall_deadline_ns; /* 0: off */
	bool poll_stall_store_only;
	struct metrics *metrics; /* nullable */
	bool ingero_names;       /* see ingerometrics.h */
};

/* Run until the end of input or a request to stop. Return the exit code; errors were printed. */
int session_run(const struct session_options *options, const struct conf *conf);

#endif
