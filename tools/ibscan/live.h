/* live - scans of this node, as often as asked for. */
#ifndef IBSCAN_LIVE_H
#define IBSCAN_LIVE_H

#include "ibscan.h"
#include "metrics.h"
#include "output.h"

struct live_setting {
	const char *sysfs_root, *node, *boot_id_path;
	uint64_t interval_ns; /* 0: one scan follows the other at once */
	uint64_t count;       /* scans; 0: without end */
	uint64_t device_timeout_ns;
	struct metrics *metrics; /* nullable */
};

/* What goes wrong is said on stderr; returns the exit code. */
int live_run(
	const struct live_setting *live, const struct scan_config *config, struct output *output);

#endif
