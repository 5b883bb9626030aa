/* stall - thread that writes scan.stall while a scan makes no progress (spec#scan-stall).
 *
 * Devices have deadlines (readers.h). This covers the rest: listing the devices, and the functions
 * on the PCI bus. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_STALL_H
#define IBSCAN_STALL_H

#include "output.h"

struct stall;

struct stall_setting {
	struct output *output;
	const char *node;
	uint64_t allowed_ns; /* a scan that takes longer stalls */
};

/* Start the thread. `setting` is kept, not copied. Return NULL when memory or threads run out; then
 * stalls are not reported. */
struct stall *stall_start(const struct stall_setting *setting);

/* End the thread and free it. Accepts NULL, as do the functions below. */
void stall_stop(struct stall *stall);

/* Call these at the start of a scan, and when only its last record is left to be written, so that
 * it follows each scan.stall. */
void stall_begin_scan(struct stall *stall);
void stall_end_scan(struct stall *stall);

/* Return how long a scan has been in progress, `elapsed_ns` after it had been for `before_ns`. Omit
 * time during which this process did not run, so that the check is late, or during which its output
 * was blocked. */
uint64_t stall_count_ns(uint64_t before_ns, uint64_t elapsed_ns, bool output_is_free);

/* Return the time until the next check, after a check that has counted `underway_ns` for the scan
 * in progress; 0 if there is none. */
uint64_t stall_next_check_ns(uint64_t underway_ns);

#endif
