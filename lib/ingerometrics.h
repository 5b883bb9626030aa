/* ingerometrics - counters of ports and asynchronous events under the names that Ingero's agent
 * gives them (ingero_rdma_*), for sites whose dashboards and alerts know those. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_INGEROMETRICS_H
#define NHM_INGEROMETRICS_H

#include "metrics.h"
#include "scan.h"

/* In the row of a tool's table of options by which it is asked for them: all but where its value, a
 * flag, goes. */
#define INGEROMETRICS_OPTION \
	"ingero-names", NULL, "also show metrics under the names that Ingero's agent has"

/* Sets the counters of a scan's ports, in the round that is going on: see metrics_begin(). What was
 * not read has no sample. 0, or -1 when memory ran out, and not all are there. */
int ingerometrics_set(const struct scan *scan, struct metrics *metrics);

/* Counts an asynchronous event of libibverbs, by its name without IBV_EVENT_. */
void ingerometrics_count(
	struct metrics *metrics, const char *event, bool fabric_error, uint64_t count);

#endif
