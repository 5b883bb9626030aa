/* scanoptions - the options that say what is scanned, and how: ibscan's, and nicview's, which has
 * ibscan parse their values. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_SCANOPTIONS_H
#define IBSCAN_SCANOPTIONS_H

#include "ibscan.h"
#include "opt.h"

struct scanoptions {
	const char *sysfs_root, *counters, *config_path; /* NULL: not given */
	const char *node, *boot_id_path;
	uint64_t interval_ns; /* 0: not given */
	uint64_t count;       /* scans; 0: not given */
	uint64_t device_timeout_ns;
	struct scan_config config;
};

/* What may be in the scope of an option, in both tools. */
enum {
	SCANOPTIONS_OF_SCANS = 1,  /* it asks for a scan: no recorded one goes with it */
	SCANOPTIONS_PASSED_ON = 2, /* the other of the two tools is to have it, too */
};

enum { SCANOPTIONS_N = 11 };

/* About a struct scanoptions; both are in the scope of each. */
extern const struct opt_spec scanoptions_table[SCANOPTIONS_N];

#endif
