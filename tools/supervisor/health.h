/* health - computes /healthz and /readyz (spec#health), and the heartbeat: a log line with the
 * health and the number of monitored ports. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_HEALTH_H
#define SUPERVISOR_HEALTH_H

#include "metricspage.h"
#include "pipeline.h"

#include <stddef.h>

/* --- how the service is at one moment: what health, heartbeat and metrics are made of --- */

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
	const struct metrics_page *page; /* its metrics; NULL: it has none */
};

struct service_view {
	const char *node;
	uint64_t now_ns, started_ns; /* CLOCK_MONOTONIC, as all below */
	uint64_t interval_ns;        /* between two scans */
	bool stopping;
	struct stage_view stages[STAGE_N];
	/* ctreval's vitals, which begin with 0 again when it is started again. A scan was evaluated
	 * when METRICS_TICKS is not 0, the last one at METRICS_TICK_NS. */
	uint64_t vitals[METRICS_VITAL_N];
	uint64_t spool_hangs_since_ns;              /* emit's METRICS_SPOOL_HANGS; 0: it answers */
	uint64_t standing_fatal, standing_degraded; /* conditions, of all stages */
	/* When a scan was last evaluated, by this ctreval or one before it; 0: none was since the
	 * service began. */
	uint64_t last_scan_ns;
	uint64_t reloads, refused_reloads; /* of the configuration */
	bool config_refused; /* the file is another one than what is in force, and not good */
};

/* --- health --- */

/* A scan is missed when none was evaluated for this many intervals, or for this long where that is
 * longer: a scan waits 2 s for a device that hangs, so that two ends of scans at 1 s can be 3 s
 * apart. */
#define HEALTH_INTERVALS 3
#define HEALTH_LEAST_S 5

/* The same for the first scan: the stages have to start, to read the configuration, and to open
 * every file. */
#define HEALTH_FIRST_S 15

/* Room for all reasons there can be, with a NUL. */
#define HEALTH_REASON_SIZE 1024

/* True when every stage that is wanted is up (also if it has just been restarted), no scan is
 * missed, and the spool's disk does not hang. An optional stage that has ended for good is not
 * wanted any more. Else `reason` says why, one line for each reason, each with its line feed, cut
 * to `size` bytes. A service that is being stopped is not live, for that reason alone. */
bool health_is_live(const struct service_view *view, char *reason, size_t size);

/* True when a scan has been evaluated since the service began and it is not being stopped. Else
 * `reason` says why, in the same way. */
bool health_is_ready(const struct service_view *view, char *reason, size_t size);

/* --- the heartbeat: each hour, and whenever another set of ports is watched --- */

#define HEALTH_HEARTBEAT_PERIOD_S 3600

/* The least time between two lines about a device that comes and goes. */
#define HEALTH_HEARTBEAT_CHANGE_S 60

/* Room for the longest line, with a NUL. */
#define HEALTH_HEARTBEAT_SIZE 2048

/* What was said last. All zeros when the service begins. */
struct health_heartbeat {
	uint64_t last_ns;   /* when; 0: nothing was */
	uint64_t change_ns; /* when a change was told of last; 0: none was */
	uint64_t port_set;  /* METRICS_PORT_SET at that time; 0: no scan was complete yet */
};

/* True when a line is to be written now, which is then taken as written: an hour after the last
 * one, at the first complete scan, and when another set of ports is monitored than the last line
 * said; within a minute of another change, at the end of that minute, if it is still another set.
 * Never while the service is being stopped. */
bool health_heartbeat_due(struct health_heartbeat *heartbeat, const struct service_view *view);

/* Writes the line, without a line feed, as in `healthy: watching 18 ports of 16 devices (compute
 * 16, storage 2), 18 devices found; standing: none; restarts: none`. */
void health_heartbeat_format(const struct service_view *view, char *out, size_t size);

#endif
