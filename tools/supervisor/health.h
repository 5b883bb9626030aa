/* health - computes /healthz and /readyz (spec#health), and the heartbeat: a log line with the
 * health and the number of monitored ports. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_HEALTH_H
#define SUPERVISOR_HEALTH_H

#include "metricspage.h"
#include "pipeline.h"

#include <stddef.h>

/* --- the service's state at one moment: input for health, heartbeat and metrics --- */

enum stage_condition {
	STAGE_UNWANTED, /* not requested, or optional and not installed */
	STAGE_UP,
	STAGE_DOWN, /* it ended, and will be restarted */
	STAGE_LOST, /* it ended for good, and the service continues without it */
};

struct stage_view {
	enum stage_condition condition;
	const char *reason; /* how it ended last, as in "killed by SIGKILL"; "": it never did */
	uint64_t restarts;  /* unrequested ones, since the service started */
	uint64_t stalls;    /* those of `restarts` that a stall caused */
	const struct metrics_page *page; /* its metrics; NULL: none */
};

struct service_view {
	const char *node;
	uint64_t now_ns, started_ns; /* CLOCK_MONOTONIC, as all below */
	uint64_t interval_ns;        /* between two scans */
	bool stopping;
	struct stage_view stages[STAGE_N];
	/* ctreval's vitals, which start from 0 with every restart. A scan was evaluated if
	 * METRICS_TICKS is not 0, the last one at METRICS_TICK_NS. */
	uint64_t vitals[METRICS_VITAL_N];
	uint64_t spool_hangs_since_ns; /* emit's METRICS_SPOOL_HANGS; 0: the disk responds */
	uint64_t standing_fatal, standing_degraded; /* conditions of all stages */
	/* When the last scan was evaluated, by this ctreval or an earlier one; 0: none since the
	 * service started. */
	uint64_t last_scan_ns;
	uint64_t reloads, refused_reloads; /* of the configuration */
	bool config_refused; /* the changed file was rejected, an older configuration is in force */
};

/* --- health --- */

/* A scan is missed if none was evaluated for HEALTH_INTERVALS intervals and for HEALTH_LEAST_S: a
 * scan waits up to 2 s for a hanging device, so at an interval of 1 s two scans can end 3 s
 * apart. */
#define HEALTH_INTERVALS 3
#define HEALTH_LEAST_S 5

/* HEALTH_LEAST_S for the first scan: the stages have to start, read the configuration and open
 * every file. */
#define HEALTH_FIRST_S 15

/* Room for all reasons, with a NUL. */
#define HEALTH_REASON_SIZE 1024

/* Return true if every required stage is up, even if it was just restarted, no scan is missed, and
 * the spool's disk responds. Optional stages do not matter. Otherwise write the reasons to
 * `reason`, each with a newline, truncated to `size` bytes. While the service is stopping, it is
 * not live, for that reason alone. */
bool health_is_live(const struct service_view *view, char *reason, size_t size);

/* Return true if a scan was evaluated since the service started and the service is not stopping.
 * Otherwise write the reason to `reason`, like health_is_live(). */
bool health_is_ready(const struct service_view *view, char *reason, size_t size);

/* --- the heartbeat: each hour, and when the set of monitored ports changes --- */

#define HEALTH_HEARTBEAT_PERIOD_S 3600

/* Minimum time between two lines about changes, for devices that come and go. */
#define HEALTH_HEARTBEAT_CHANGE_S 60

/* Room for the longest line, with a NUL. */
#define HEALTH_HEARTBEAT_SIZE 2048

/* The last line. All zeros when the service starts. */
struct health_heartbeat {
	uint64_t last_ns;   /* when it was written; 0: never */
	uint64_t change_ns; /* when a line about a change was written; 0: never */
	uint64_t port_set;  /* METRICS_PORT_SET in the last line; 0: no scan was complete yet */
};

/* Return true if a line is due, and record it as written: at the first complete scan, an hour after
 * the last line, and when another set of ports is monitored than in the last line. After a line
 * about such a change the next one is due a minute later, if the set differs then. Always false
 * while the service is stopping. */
bool health_heartbeat_due(struct health_heartbeat *heartbeat, const struct service_view *view);

/* Format the line, without a newline, as in `healthy: watching 18 ports of 16 devices (compute 16,
 * storage 2), 18 devices found; standing: none; restarts: none`. */
void health_heartbeat_format(const struct service_view *view, char *out, size_t size);

#endif
