/* self - the numbers of the service itself, in a page like those of its stages. */
#ifndef SUPERVISOR_SELF_H
#define SUPERVISOR_SELF_H

#include "view.h"

struct self {
	struct metrics_page page;
	struct metrics *metrics;
	uint64_t started_realtime_ns;
};

/* `started_realtime_ns`: when the service began, CLOCK_REALTIME. 0, or -1 with errno. */
int self_init(struct self *self, uint64_t started_realtime_ns);
void self_fini(struct self *self);

/* Sets all of them to what the view says. */
void self_take(struct self *self, const struct service_view *view);

#endif
