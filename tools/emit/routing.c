/* routing - which events may go out by now. */
#include "routing.h"

void
routing_event(struct routing *routing, uint64_t number, bool urgent, uint64_t now_ns)
{
	routing->last = number;
	if (routing->waiting++ == 0)
		routing->oldest_ns = now_ns;
	if (urgent || routing->waiting >= routing->batch_max)
		routing_release(routing);
}

void
routing_tick(struct routing *routing, uint64_t now_ns)
{
	if (now_ns >= routing_wakes_at_ns(routing))
		routing_release(routing);
}

void
routing_release(struct routing *routing)
{
	routing->released = routing->last;
	routing->waiting = 0;
}

uint64_t
routing_wakes_at_ns(const struct routing *routing)
{
	return routing->waiting > 0 ? routing->oldest_ns + routing->window_ns : UINT64_MAX;
}
