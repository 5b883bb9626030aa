/* watch - decides whether a running stage makes progress, when a stage that ended is restarted, and
 * until when all writers have written their events. Pure.
 *
 * A stage counts as stalled only by its own fault: it has work to do, its reader takes its output,
 * and it has done nothing for as long as the limit. A neighbour that hangs or restarts is not its
 * fault. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_WATCH_H
#define SUPERVISOR_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- progress of running stages --- */

/* Time limit of a stage: this many intervals, but at least WATCH_LEAST_S: a scan waits up to 2 s
 * for a hanging device, and machines are busy at times. */
#define WATCH_INTERVALS 10
#define WATCH_LEAST_S 5

/* Minimum for sources other than ibscan. They make progress every few seconds even when nothing
 * happens. */
#define WATCH_SOURCE_LEAST_S 30

/* ibscan may take this much longer than until its report that a scan is stalled. */
#define WATCH_REPORT_S 5

/* After a longer gap between two polls no stage counts as stalled or late: the service itself did
 * not run, so perhaps no process did. */
#define WATCH_GAP_S 3

/* On an overloaded machine, work of milliseconds takes seconds. A stage that has used at least
 * 1/WATCH_BUSY_PART of its limit as processor time is working, and gets WATCH_BUSY_LIMITS
 * limits. */
#define WATCH_BUSY_PART 100
#define WATCH_BUSY_LIMITS 3

/* The state of a running stage at one poll. */
struct watch_look {
	uint64_t now_ns;
	uint64_t used_ns;    /* processor time used so far */
	uint64_t ticks;      /* METRICS_TICKS of the stage */
	uint64_t feed_ticks; /* of the stage that writes its scans; 0: none */
	bool is_source;      /* it always has work */
	bool input_waits;    /* there are bytes in its input pipe */
	bool input_full;     /* its input pipe is full */
	bool output_full;    /* its output pipe is full */
	bool holding;        /* it leaves its input unread on purpose */
};

/* State between two polls. All zeros when the stage starts. */
struct watch {
	uint64_t ticks, feed_ticks; /* at the last tick of the stage */
	/* since then it has had work and done nothing; 0: not so */
	uint64_t owes_since_ns;
	uint64_t full_since_ns; /* its input has been full since then; 0: it is not full */
	uint64_t used_ns;       /* processor time at the earlier of these two moments */
	uint64_t looked_ns;     /* time of the last poll; 0: none */
};

/* Return how long a stage may do nothing, nanoseconds. `is_source`: a source other than ibscan. */
uint64_t watch_limit_ns(uint64_t interval_ns, bool is_source);

/* The same for ibscan, which must live long enough to report a scan that has been stalled for
 * `deadline_ns` (0: it never reports). */
uint64_t watch_source_limit_ns(uint64_t interval_ns, uint64_t deadline_ns);

/* Return true if the time since the last poll (0: none) is a gap: the node was frozen (cgroup,
 * SIGSTOP, virtual machine) or too busy to run the service, so the stages could not work either. */
bool watch_is_gap(uint64_t looked_ns, uint64_t now_ns);

/* Evaluate one poll. Return for how long the stage has made no progress, nanoseconds, if it has
 * reached its limit: `limit_ns`, or WATCH_BUSY_LIMITS times that if it is working. Else return
 * 0. */
uint64_t watch_step(struct watch *watch, const struct watch_look *look, uint64_t limit_ns);

/* --- restarts (spec#supervision) --- */

#define WATCH_RESTART_FIRST_S 1
#define WATCH_RESTART_MOST_S 60

/* A run this long was healthy, and resets the delay to the first one. */
#define WATCH_RESTART_HEALTHY_S 60

/* Restart history of a stage. All zeros before its first start. */
struct watch_restart {
	unsigned failures; /* in a row, without a healthy run between them */
};

/* Return the delay before a restart, nanoseconds, for a stage that ended after `uptime_ns`: 1 s,
 * doubled with each failure in a row up to 60 s. */
uint64_t watch_restart_delay_ns(struct watch_restart *restart, uint64_t uptime_ns);

/* --- the moment up to which all writers have written the events that emit waits for --- */

/* A writer has not checked yet. Earlier than any moment, but not 0, which means "unknown". */
#define WATCH_WRITERS_AWAITED UINT64_C(1)

/* A stage that writes events. */
struct watch_writer {
	bool returns;        /* it runs, or will be started or restarted */
	bool runs;           /* it runs now */
	uint64_t started_ns; /* when it was started, CLOCK_MONOTONIC like all times below */
	uint64_t looked_ns;  /* when it last read the acknowledgements, from its page */
};

/* Return the oldest of the moments at which the writers that run or will run last read the
 * acknowledgements; `now_ns` if there are none, WATCH_WRITERS_AWAITED if one has not read them
 * yet. */
uint64_t watch_writers_looked_ns(const struct watch_writer *looks, size_t count, uint64_t now_ns);

#endif
