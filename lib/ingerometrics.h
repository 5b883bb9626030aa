/* ingerometrics - port counters and asynchronous events under the metric names of Ingero's agent
 * (ingero_rdma_*), for sites with dashboards and alerts for those. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_INGEROMETRICS_H
#define NHM_INGEROMETRICS_H

#include "metrics.h"
#include "scan.h"

/* The start of the row of the flag in a tool's table of options; the tool adds where the value
 * goes. */
#define INGEROMETRICS_OPTION \
	"ingero-names", NULL, "also export metrics under the names of Ingero's agent"

/* Set the counters of a scan's ports in the current round, see metrics_begin(). A counter that was
 * not read has no sample. Return 0, or -1 if memory ran out and samples are missing. */
int ingerometrics_set(const struct scan *scan, struct metrics *metrics);

/* Count `count` asynchronous events of libibverbs. `event` is the name without IBV_EVENT_. */
void ingerometrics_count(
	struct metrics *metrics, const char *event, bool fabric_error, uint64_t count);

#endif
