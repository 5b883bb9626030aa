/* scanner - one pass over class/infiniband: list, ask, wait, write. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_SCANNER_H
#define IBSCAN_SCANNER_H

#include "ibscan.h"
#include "output.h"
#include "stall.h"

struct scanner;

/* What stays the same from scan to scan. */
struct scan_setting {
	int root;              /* open sysfs root */
	struct output *output; /* where records go */
	struct stall *stall;   /* is told of each scan; nullable */
	struct told *told;     /* of the ports' states; nullable */
	const struct scan_config *config;
	const char *node;
	const char *boot_id_path; /* read until it can be; until then it is null in the record */
	uint64_t interval_ns;     /* 0: one scan follows the other at once */
	uint64_t device_timeout_ns;
};

/* `setting` is kept, not copied. NULL when memory runs out. */
struct scanner *scanner_new(const struct scan_setting *setting);

/* False when a reader still hangs in the kernel: then the scanner stays, and the process can only
 * end. */
bool scanner_free(struct scanner *scanner);

/* How long a scan waits for its devices. */
uint64_t scanner_patience_ns(const struct scan_setting *setting);

/* The name of a device that the latest scan has listed, in natural order; NULL at their end. */
const char *scanner_device(const struct scanner *scanner, size_t index);

/* Writes the first record of a scan, which has the next number, or of an extra one. 0, or -1 with
 * errno. */
int scanner_write_begin(
	struct scanner *scanner, const struct clock_moment *when, bool extra, uint64_t *scan);

/* Notes time between two scans in which this process was not let run. */
void scanner_lose(struct scanner *scanner, uint64_t lost_ns);

/* Writes one whole scan. 0, or the exit code to end with, which has been said: when writing failed,
 * memory ran out, or no thread could be started to read devices. */
int scanner_run(struct scanner *scanner);

#endif
