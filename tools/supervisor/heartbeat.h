/* heartbeat - the line that says what is being watched, each hour and whenever that changes. Pure. */
#ifndef SUPERVISOR_HEARTBEAT_H
#define SUPERVISOR_HEARTBEAT_H

#include "view.h"

#define HEARTBEAT_PERIOD_S 3600

/* A device that comes and goes is told of at most this often. */
#define HEARTBEAT_CHANGE_S 60

/* Room for the longest line, with a NUL. */
#define HEARTBEAT_SIZE 2048

/* What was said last. All zeros when the service begins. */
struct heartbeat {
	uint64_t last_ns;   /* when; 0: nothing was */
	uint64_t change_ns; /* when a change was told of last; 0: none was */
	uint64_t port_set;  /* METRICS_PORT_SET at that time; 0: no scan was complete yet */
};

/* True when a line is to be written now, which is then taken as written: an hour after the last one, at the first complete scan, and when another set of
 * ports is monitored than the last line said; within a minute of another change, at the end of that minute, if it is still another set. Never while the
 * service is being stopped. */
bool heartbeat_due(struct heartbeat *heartbeat, const struct service_view *view);

/* Writes the line, without a line feed, as in `healthy: watching 18 ports of 16 devices (compute 16, storage 2), 18 devices found; standing: none; restarts: none`. */
void heartbeat_format(const struct service_view *view, char *out, size_t size);

#endif
