/* live - scans this node on schedule (spec#scan-schedule). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_LIVE_H
#define IBSCAN_LIVE_H

#include "metrics.h"
#include "scanner.h"

struct live_setting {
	struct scan_setting scan; /* live_run() opens its root */
	const char *sysfs_root;
	uint64_t count;             /* number of scans; 0: no limit */
	const char *events_path;    /* for events_open(); NULL: no events */
	struct metrics *metrics;    /* may be NULL */
	struct stall_setting stall; /* set by live_run() */
};

/* Run the scans: without a pause, or at the scan's interval. Return the exit code, after a message
 * if it is not 0. `live` must stay valid until the process exits, since a reader may hang. */
int live_run(struct live_setting *live);

#endif
