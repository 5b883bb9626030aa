/* routing - which events may go out by now: SPEC section 6, "Routing". Pure.
 *
 * A fatal or healthy event goes at once and takes everything older along, so that the order never changes; the others wait for company until their time or their
 * number is full. Sinks that take lines have nothing to gain by waiting, and do not ask. */
#ifndef EMIT_ROUTING_H
#define EMIT_ROUTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct routing {
	uint64_t window_ns;
	size_t batch_max;
	uint64_t released;  /* number of the last event that may go */
	uint64_t last;      /* number of the last event there is */
	size_t waiting;     /* events behind `released` */
	uint64_t oldest_ns; /* when the first of them came */
};

/* An event has come; `urgent`: fatal or healthy. `now_ns` of one clock that never steps. */
void routing_event(struct routing *routing, uint64_t number, bool urgent, uint64_t now_ns);

/* Time has passed. */
void routing_tick(struct routing *routing, uint64_t now_ns);

/* Nothing has to wait any longer: at the end, and for what was there at the beginning. */
void routing_release(struct routing *routing);

/* When routing_tick() will release something; UINT64_MAX: nothing waits. */
uint64_t routing_wakes_at_ns(const struct routing *routing);

#endif
