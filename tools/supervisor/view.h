/* view - how the service is at one moment: what health, heartbeat and exposition are made of. */
#ifndef SUPERVISOR_VIEW_H
#define SUPERVISOR_VIEW_H

#include "metrics.h"
#include "pipeline.h"

enum stage_condition {
	STAGE_UNWANTED, /* it was not asked for, or is optional and not installed */
	STAGE_UP,
	STAGE_DOWN, /* it has ended, and will be started again */
	STAGE_LOST, /* it has ended for good, and the service goes on without it */
};

struct stage_view {
	enum stage_condition condition;
	const char *reason; /* how it ended last, as in "killed by SIGKILL"; "" when it has not */
	uint64_t restarts;  /* unasked for, since the service began */
	uint64_t stalls;    /* of these, because it got on no more */
	const struct metrics_page *page; /* its numbers; NULL: it has none */
};

struct service_view {
	const char *node;
	uint64_t now_ns, started_ns; /* CLOCK_MONOTONIC, as all below */
	uint64_t interval_ns;        /* between two scans */
	bool stopping;
	struct stage_view stages[STAGE_N];
	/* ctreval's vitals, which begin with 0 again when it is started again. A scan was evaluated when METRICS_TICKS is not 0, the last one at METRICS_TICK_NS. */
	uint64_t vitals[METRICS_VITAL_N];
	/* When a scan was last evaluated, by this ctreval or one before it; 0: none was since the service began. */
	uint64_t last_scan_ns;
	uint64_t reloads, refused_reloads; /* of the configuration */
	bool config_refused; /* the file is another one than what is in force, and not good */
};

#endif
