/* views - a healthy service for the supervisor's tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_H
#define VIEWS_H

#include "../../tools/supervisor/health.h"
#include "num.h"

#define S NUM_NS_PER_S

/* A service an hour after its start, with an interval of 1 s: 18 devices, 16 of them monitored, all
 * stages up; the last scan was evaluated half a second ago. */
static inline struct service_view
view_of_a_healthy_node(void)
{
	struct service_view view = {
		.node = "gpu-1",
		.now_ns = 10000 * S,
		.started_ns = 6400 * S,
		.interval_ns = S,
		.last_scan_ns = 9999 * S + S / 2,
		.vitals = {[METRICS_TICKS] = 3600,
			[METRICS_TICK_NS] = 9999 * S + S / 2,
			[METRICS_PORT_SET] = 7,
			[METRICS_DEVICES] = 18,
			[METRICS_MONITORED_DEVICES] = 16,
			[METRICS_MONITORED_PORTS] = 18,
			[METRICS_COMPUTE] = 16,
			[METRICS_STORAGE] = 2},
	};
	for (enum stage_id id = 0; id < STAGE_N; id++)
		view.stages[id] = (struct stage_view){.condition = STAGE_UP, .reason = ""};
	return view;
}

#endif
