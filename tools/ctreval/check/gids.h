/* gids - ports that lost their last RoCE v2 GID, by which peers reach them (spec#roce-gids). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_GIDS_H
#define CTREVAL_GIDS_H

#include "evaluation.h"
#include "num.h"

/* Time without a GID before it is reported: ibscan reads the table once a minute, and two readings
 * must agree. */
#define GIDS_LOST_NS (90 * NUM_NS_PER_S)

/* Record the number of RoCE v2 GIDs in a scan at `now_ns` (CLOCK_BOOTTIME); negative: not known or
 * not meaningful. Return true if the loss of the last one is to be reported. */
bool gids_step(struct gids_memory *memory, int64_t count, uint64_t now_ns);

/* Evaluate the port's GIDs. Do not call it for extra scans. */
void gids_eval(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

#endif
