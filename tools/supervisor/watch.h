/* watch - whether a stage that runs also gets on. Pure.
 *
 * A stage is blamed only for what is its own: it has something to do, somebody takes what it writes, and for as long as the limit it has done nothing. A neighbour that hangs, or
 * that is being started again, is not its fault. */
#ifndef SUPERVISOR_WATCH_H
#define SUPERVISOR_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* How many intervals a stage may need for one scan, and what that is at least: a scan waits up to 2 s for a device that hangs, and machines are busy at times. */
#define WATCH_INTERVALS 10
#define WATCH_LEAST_S 5

/* The kernel's log may have nothing to say: logmatch gets on each 5 s even so, if it does. */
#define WATCH_LOG_LEAST_S 30

/* More time than this between two looks is not the stage's: the service itself did not run, and so, perhaps, nobody else. */
#define WATCH_GAP_S 3

/* One look at a stage that runs. */
struct watch_look {
	uint64_t now_ns;
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
	uint64_t
		owes_since_ns; /* it has had something to do from then on, and done nothing; 0: it has not */
	uint64_t full_since_ns; /* its input has been full from then on; 0: it is not */
	uint64_t looked_ns;     /* when that was; 0: never */
};

/* How long a stage may do nothing, nanoseconds. */
uint64_t watch_limit_ns(uint64_t interval_ns, bool reads_log);

/* Takes a look. Returns for how long the stage has not got on, nanoseconds, if that is `limit_ns` or more; else 0. */
uint64_t watch_step(struct watch *watch, const struct watch_look *look, uint64_t limit_ns);

#endif
