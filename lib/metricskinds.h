/* metricskinds - what is in a page of numbers: the kinds of its series, and its vitals. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_METRICSKINDS_H
#define NHM_METRICSKINDS_H

enum metrics_type { METRICS_COUNTER, METRICS_GAUGE, METRICS_HISTOGRAM, METRICS_TYPE_N };

/* How long a series is shown. */
enum metrics_life {
	/* it is about all processes that have had the page: the next one goes on counting */
	METRICS_LASTING,
	METRICS_PROCESS, /* until the next process takes the page */
	/* the same; and it must be set in each round of metrics_begin() and metrics_end() */
	METRICS_ROUND,
	METRICS_LIFE_N,
};

/* Single numbers that the supervisor acts on. */
enum metrics_vital {
	METRICS_TICKS,   /* how often the writer has got on: scans, or rounds of its loop */
	METRICS_TICK_NS, /* when it last did, CLOCK_MONOTONIC */
	METRICS_HOLDING, /* 1: it leaves its input unread on purpose */
	/* ctreval: what is monitored, as of the last complete scan */
	/* changes when the set of monitored ports does; 0: there was no complete scan yet. Set it
	 * after those below. */
	METRICS_PORT_SET,
	METRICS_DEVICES,           /* that are there */
	METRICS_MONITORED_DEVICES, /* of these, with at least one monitored port */
	METRICS_MONITORED_PORTS,
	METRICS_COMPUTE, /* monitored ports of devices with this role, and so on */
	METRICS_STORAGE,
	METRICS_FABRIC,
	METRICS_NO_ROLE,
	/* ctreval, logmatch and correlate: conditions of theirs that stand */
	METRICS_STANDING_FATAL,
	METRICS_STANDING_DEGRADED,
	/* ctreval: 1: in the last scan the devices could not be listed, so that what is monitored
	 * is as of a scan before it */
	METRICS_UNLISTED,
	/* emit: since when the disk of its spool has not answered, CLOCK_MONOTONIC; 0: it
	 * answers */
	METRICS_SPOOL_HANGS,
	/* ctreval and logmatch: when they last looked what is acknowledged, and had written what
	 * was due then, CLOCK_MONOTONIC; 0: not yet */
	METRICS_LOOKED_NS,
	/* emit: written by the supervisor: all who write events and are to come back have looked at
	 * this moment or later; 0: nobody says */
	METRICS_WRITERS_NS,
	METRICS_VITAL_N,
};

#endif
