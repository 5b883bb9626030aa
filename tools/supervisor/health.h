/* health - whether the service is well, and whether it has begun: the answers of /healthz and /readyz. Pure. */
#ifndef SUPERVISOR_HEALTH_H
#define SUPERVISOR_HEALTH_H

#include "view.h"

/* A scan is missed when none was evaluated for this many intervals, or for this long where that is longer: a scan waits 2 s for a device that hangs, so that
 * two ends of scans at 1 s can be 3 s apart. */
#define HEALTH_INTERVALS 3
#define HEALTH_LEAST_S 5

/* The same for the first scan: the stages have to start, to read the configuration, and to open every file. */
#define HEALTH_FIRST_S 15

/* Room for all reasons there can be, with a NUL. */
#define HEALTH_REASON_SIZE 1024

/* True when every stage that is wanted is up, one that has just been restarted too, and no scan is missed; without an optional stage that has ended for good the
 * service is well. Else `reason` says why, one line for each reason,
 * each with its line feed, cut to `size` bytes. A service that is being stopped is not live, for that reason alone. */
bool health_is_live(const struct service_view *view, char *reason, size_t size);

/* True when a scan has been evaluated since the service began and it is not being stopped. Else `reason` says why, in the same way. */
bool health_is_ready(const struct service_view *view, char *reason, size_t size);

#endif
