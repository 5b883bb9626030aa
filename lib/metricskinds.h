/* metricskinds - the types and lifetimes of series in a metrics page, and its vitals. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICSKINDS_H
#define NHM_METRICSKINDS_H

enum metrics_type { METRICS_COUNTER, METRICS_GAUGE, METRICS_HISTOGRAM, METRICS_TYPE_N };

/* How long a series is shown. */
enum metrics_life {
	/* for good: it covers all writers of the page, and the next one continues counting */
	METRICS_LASTING,
	METRICS_PROCESS, /* until the next process opens the page */
	/* the same, but it must be set in each round of metrics_begin() and metrics_end() */
	METRICS_ROUND,
	METRICS_LIFE_N,
};

/* Single values that the supervisor acts on. */
enum metrics_vital {
	METRICS_TICKS,   /* progress of the writer: number of scans, or of rounds of its loop */
	METRICS_TICK_NS, /* time of the last tick, CLOCK_MONOTONIC */
	METRICS_HOLDING, /* 1: the writer leaves its input unread on purpose */
	/* ctreval: the monitored devices and ports in the last complete scan */
	/* changes with the set of monitored ports; 0: no complete scan yet. Set it after those
	 * below. */
	METRICS_PORT_SET,
	METRICS_DEVICES,           /* existing devices */
	METRICS_MONITORED_DEVICES, /* devices with at least one monitored port */
	METRICS_MONITORED_PORTS,
	METRICS_COMPUTE, /* monitored ports of devices with this role, and so on */
	METRICS_STORAGE,
	METRICS_FABRIC,
	METRICS_NO_ROLE,
	/* ctreval, logmatch and correlate: number of standing conditions */
	METRICS_STANDING_FATAL,
	METRICS_STANDING_DEGRADED,
	/* ctreval: 1: the last scan could not list the devices, so the values above are of an
	 * earlier scan */
	METRICS_UNLISTED,
	/* emit: time at which the disk of the spool stopped responding, CLOCK_MONOTONIC; 0: it
	 * responds */
	METRICS_SPOOL_HANGS,
	/* ctreval, logmatch and correlate: time of the last read of the acks file after which all
	 * events due were written, CLOCK_MONOTONIC; 0: none yet */
	METRICS_LOOKED_NS,
	/* emit, set by the supervisor: all event writers that are to return have read the acks file
	 * at this time or later; 0: unknown */
	METRICS_WRITERS_NS,
	METRICS_VITAL_N,
};

#endif
