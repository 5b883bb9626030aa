/* scanner - runs one scan: lists the devices, reads them and writes the records. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_SCANNER_H
#define IBSCAN_SCANNER_H

#include "ibscan.h"
#include "output.h"
#include "stall.h"

struct scanner;

/* Settings that all scans share. */
struct scan_setting {
	int root;              /* open sysfs root */
	struct output *output; /* destination of the records */
	struct stall *stall;   /* notified of each scan; may be NULL */
	struct told *told;     /* states that were written last; may be NULL */
	const struct scan_config *config;
	const char *node;
	const char *boot_id_path; /* read until it succeeds; until then the record has null */
	uint64_t interval_ns;     /* 0: no pause between scans */
	uint64_t device_timeout_ns;
};

/* `setting` is kept, not copied. Return NULL when memory or descriptors run out. */
struct scanner *scanner_new(const struct scan_setting *setting);

/* Return false if a reader still hangs in the kernel. Then the scanner is not freed, and the
 * process can only exit. */
bool scanner_free(struct scanner *scanner);

/* Return how long a scan waits for its devices. */
uint64_t scanner_patience_ns(const struct scan_setting *setting);

/* Return the name of the device number `index` that the latest scan listed, in natural order. NULL
 * after the last. */
const char *scanner_device(const struct scanner *scanner, size_t index);

/* Write the scan.begin of a scan or an extra scan and set `*scan` to its number, the next one.
 * Return 0, or -1 with errno. */
int scanner_write_begin(
	struct scanner *scanner, const struct clock_moment *when, bool extra, uint64_t *scan);

/* Between two scans, let no device that hangs keep others from being read. Return when to call it
 * again, as readers_look(). */
uint64_t scanner_look(struct scanner *scanner);

/* Report time between two scans during which this process did not run. */
void scanner_lose(struct scanner *scanner, uint64_t lost_ns);

/* Run one scan. Return 0, or the exit code after a message: writing failed, memory ran out, or no
 * thread could be started to read devices. */
int scanner_run(struct scanner *scanner);

#endif
