/* watch - decisions about stages: whether a running one makes progress, when one that ended is
 * started again, and up to which moment all writers have written their events. Pure.
 *
 * A stage is blamed only for its own part: it has something to do, its reader takes what it writes,
 * and for as long as the limit it has done nothing. A neighbour that hangs, or is being started
 * again, is not its fault. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_WATCH_H
#define SUPERVISOR_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- does it get on? --- */

/* How many intervals a stage may need for one scan, and what that is at least: a scan waits up to 2
 * s for a device that hangs, and machines are busy at times. */
#define WATCH_INTERVALS 10
#define WATCH_LEAST_S 5

/* What it is at least for sources other than ibscan, which make progress every few seconds, even
 * when there is nothing new. */
#define WATCH_SOURCE_LEAST_S 30

/* How much longer than to its report of a scan that does not get on the source of scans may take.
 */
#define WATCH_REPORT_S 5

/* After more time than this between two looks no stage is blamed: the service itself did not run,
 * so perhaps nobody else did. */
#define WATCH_GAP_S 3

/* On a machine with far more to do than it can, what takes milliseconds takes seconds. A stage that
 * has used this part of its limit as processor time is at work, and may take so many limits. */
#define WATCH_BUSY_PART 100
#define WATCH_BUSY_LIMITS 3

/* One look at a stage that runs. */
struct watch_look {
	uint64_t now_ns;
	uint64_t used_ns;    /* processor time that the stage has used so far */
	uint64_t ticks;      /* METRICS_TICKS of the stage */
	uint64_t feed_ticks; /* of the stage that feeds it scans; 0: none does */
	bool is_source;      /* it has always something to do */
	bool input_waits;    /* there are bytes in its input pipe */
	bool input_full;     /* and no more fit in */
	bool output_full;    /* it cannot write */
	bool holding;        /* it leaves its input unread on purpose */
};

/* What is remembered between two looks. All zeros when the stage is started. */
struct watch {
	uint64_t ticks, feed_ticks; /* at the last tick of the stage */
	/* it has had something to do from then on, and done nothing; 0: it has not */
	uint64_t owes_since_ns;
	uint64_t full_since_ns; /* its input has been full from then on; 0: it is not */
	uint64_t used_ns;       /* processor time it had used when the first of the two began */
	uint64_t looked_ns;     /* when that was; 0: never */
};

/* How long a stage may do nothing, nanoseconds; `is_source`: a source other than ibscan. */
uint64_t watch_limit_ns(uint64_t interval_ns, bool is_source);

/* The same for the source of scans, which reports a scan that does not get on when it has been
 * under way for `deadline_ns` (0: never), and can do so only as long as it lives. */
uint64_t watch_source_limit_ns(uint64_t interval_ns, uint64_t deadline_ns);

/* Takes a look. Returns for how long the stage has not got on, nanoseconds, if that is its limit or
 * more: `limit_ns`, or WATCH_BUSY_LIMITS of them when it is at work. Else 0. */
uint64_t watch_step(struct watch *watch, const struct watch_look *look, uint64_t limit_ns);

/* --- when it is started again (spec#supervision) --- */

#define WATCH_RESTART_FIRST_S 1
#define WATCH_RESTART_MOST_S 60

/* A stage that ran this long was healthy: the next delay is the first one again. */
#define WATCH_RESTART_HEALTHY_S 60

/* How a stage has fared. All zeros before its first start. */
struct watch_restart {
	unsigned failures; /* in a row, without a healthy run between */
};

/* The stage ended after `uptime_ns`: how long to wait before it is started again, in nanoseconds. 1
 * s, doubling with each failure in a row up to 60 s. */
uint64_t watch_restart_delay_ns(struct watch_restart *restart, uint64_t uptime_ns);

/* --- until when emit may take it that all who write events have written what it waits for --- */

/* Some writer has not looked yet: less than any moment, and not 0, which means that nobody says. */
#define WATCH_WRITERS_AWAITED UINT64_C(1)

/* A stage that writes events. */
struct watch_writer {
	bool returns;        /* it runs, or will be started (again) */
	bool runs;           /* it does so now */
	uint64_t started_ns; /* when it was started, CLOCK_MONOTONIC, as all below */
	uint64_t looked_ns;  /* its page's word for when it last looked what is acknowledged */
};

/* All of those that are to come back have looked at this moment or later; `now_ns` when none is
 * to. */
uint64_t watch_writers_looked_ns(const struct watch_writer *looks, size_t count, uint64_t now_ns);

#endif
