/* restart - when a stage that ended is started again. Pure. */
#ifndef SUPERVISOR_RESTART_H
#define SUPERVISOR_RESTART_H

#include <stdint.h>

#define RESTART_FIRST_S 1
#define RESTART_MOST_S 60

/* A stage that ran this long was healthy: the next delay is the first one again. */
#define RESTART_HEALTHY_S 60

/* How a stage has fared. All zeros before its first start. */
struct restart {
	unsigned failures; /* in a row, without a healthy run between */
};

/* The stage ended after `uptime_ns`: how long to wait before it is started again, in nanoseconds. 1 s, doubling with each
 * failure in a row up to 60 s. */
uint64_t restart_delay_ns(struct restart *restart, uint64_t uptime_ns);

#endif
