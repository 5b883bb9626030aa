/* session - one run: opens the available sources and reads them in one loop until they end. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_SESSION_H
#define IBEVENT_SESSION_H

#include "confine.h"
#include "metrics.h"
#include "notice.h"

struct session_options {
	bool wanted[VIA_N];
	bool is_chosen;         /* --sources was given */
	const char *trace_path; /* NULL: no trace */
	const char *sysfs_root;
	const char *node;
	bool any_driver; /* --verbs-any-driver was given */
	enum confine_mode confine;
	struct metrics *metrics; /* may be NULL */
	bool ingero_names;       /* see ingerometrics.h */
};

/* Open the sources, confine the process, and read until stop_catch() catches a signal or every
 * source has ended. Report errors on stderr. Return the exit code. */
int session_run(const struct session_options *options);

#endif
