/* live - scans of this node, as often as asked for (spec#scan-schedule). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_LIVE_H
#define IBSCAN_LIVE_H

#include "metrics.h"
#include "scanner.h"

struct live_setting {
	struct scan_setting scan; /* its root is opened here */
	const char *sysfs_root;
	uint64_t count;             /* scans; 0: without end */
	const char *events_path;    /* what events.h reads; NULL: nothing */
	struct metrics *metrics;    /* nullable */
	struct stall_setting stall; /* made here */
};

/* Scans one after the other at once, or at the scan's interval. What goes wrong is said on stderr;
 * returns the exit code. `live` must stay to the end of the process, where a reader may hang. */
int live_run(struct live_setting *live);

#endif
