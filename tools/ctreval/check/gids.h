/* gids - RoCE v2 GIDs, by which others reach a port: when it is an event that the last one is
 * gone (spec#roce-gids). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_GIDS_H
#define CTREVAL_GIDS_H

#include "evaluation.h"

/* For so long there must be none: ibscan reads the table once a minute, and two readings have to
 * agree. */
#define GIDS_LOST_NS (UINT64_C(90) * 1000 * 1000 * 1000)

/* So many RoCE v2 GIDs there are, in a scan at `now_ns` (CLOCK_BOOTTIME); negative: that is not
 * known, or says nothing. True when it is due to report that the last one is gone. */
bool gids_step(struct gids_memory *memory, int64_t count, uint64_t now_ns);

/* Looks at a port in a scan that is not an extra one. */
void gids_eval(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

#endif
