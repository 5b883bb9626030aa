/* stall - a thread that writes scan.stall while a scan does not get on (spec#scan-stall).
 *
 * Devices have deadlines (readers.h). This is for what has none: listing them, and the functions on
 * the bus. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_STALL_H
#define IBSCAN_STALL_H

#include "output.h"

struct stall;

struct stall_setting {
	struct output *output;
	const char *node;
	uint64_t allowed_ns; /* a scan that takes no longer is none that stalls */
};

/* Starts the thread. `setting` is kept, not copied. NULL when memory or threads run out: nothing is
 * said of a scan that stalls then. */
struct stall *stall_start(const struct stall_setting *setting);

/* Ends the thread and frees it; NULL is allowed, here and below. */
void stall_stop(struct stall *stall);

/* A scan begins; or has nothing left to do but to write its last record, which comes after what is
 * written of its stall. */
void stall_begin_scan(struct stall *stall);
void stall_end_scan(struct stall *stall);

/* How much longer a scan has been under way, when it had been for `before_ns` and `elapsed_ns` have
 * passed since. Time in which the program was not let run, so that it looks late, or in which its
 * reader did not take what it writes, does not count. */
uint64_t stall_count_ns(uint64_t before_ns, uint64_t elapsed_ns, bool output_is_free);

#endif
