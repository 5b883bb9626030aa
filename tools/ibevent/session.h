/* session - one run: the sources that can be opened, read in one loop until they end. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_SESSION_H
#define IBEVENT_SESSION_H

#include "confine.h"
#include "metrics.h"
#include "notice.h"

struct session_options {
	bool wanted[NOTICE_VIA_N];
	bool is_chosen;         /* somebody has named these sources */
	const char *trace_path; /* NULL: there is none, and it is not wanted */
	const char *sysfs_root;
	const char *node;
	bool any_driver; /* verbs also opens devices that may not be let go */
	enum confine_mode confine;
	struct metrics *metrics; /* nullable */
	bool ingero_names;       /* see ingerometrics.h */
};

/* Opens the sources, gives up what is not needed, and reads until it is asked to stop
 * (stop_catch()) or every source has ended. What goes wrong is said on stderr; returns the exit
 * code. */
int session_run(const struct session_options *options);

#endif
