/* scanoptions - options for scans that ibscan and nicview share; nicview passes them to ibscan,
 * which parses the values. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_SCANOPTIONS_H
#define IBSCAN_SCANOPTIONS_H

#include "ibscan.h"
#include "opt.h"

struct scanoptions {
	const char *sysfs_root, *counters, *config_path; /* NULL: not given */
	const char *node, *boot_id_path;
	uint64_t interval_ns; /* 0: not given */
	uint64_t count;       /* number of scans; 0: not given */
	uint64_t device_timeout_ns;
	struct scan_config config;
};

/* Bits of an option's scope in both tools. */
enum {
	SCANOPTIONS_OF_SCANS = 1,  /* requests a scan: not allowed with recorded scans */
	SCANOPTIONS_PASSED_ON = 2, /* passed on to the other tool */
};

enum { SCANOPTIONS_N = 11 };

/* Options for a struct scanoptions, with both bits in their scope. */
extern const struct opt_spec scanoptions_table[SCANOPTIONS_N];

#endif
