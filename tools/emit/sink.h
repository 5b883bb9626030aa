/* sink - one place events go to: delivered in order, tried again for ever, and nobody else's problem. */
#ifndef EMIT_SINK_H
#define EMIT_SINK_H

#include "queue.h"
#include "transport.h"

#include <stdint.h>

enum sink_state {
	SINK_WAITING, /* closed, until retry_at_ns */
	SINK_OPENING,
	SINK_OPEN,
	SINK_GONE, /* closed for good: stdout whose reader has left */
};

struct sink {
	struct sink_spec spec;
	struct transport transport;
	enum sink_state state;
	uint64_t next;      /* line of the queue to write next */
	size_t written;     /* bytes of it that are out */
	uint64_t confirmed; /* every line before this one has arrived */
	unsigned attempt;   /* failures since something arrived last */
	uint64_t retry_at_ns;
	bool complained; /* since it worked last */
};

/* Begins with line `first`. Takes `spec` over. */
void sink_init(struct sink *sink, struct sink_spec *spec, uint64_t first);

/* Does what can be done now: opens, writes, confirms. `ready`: poll(2) reported its descriptor. */
void sink_pump(struct sink *sink, const struct queue *queue, uint64_t now_ns, bool ready);

/* What to wait for: the descriptor, or -1, and the events; and until when at the latest, UINT64_MAX for no such time. */
int sink_waits_for(const struct sink *sink, const struct queue *queue, short *events);
uint64_t sink_wakes_at_ns(const struct sink *sink, uint64_t now_ns);

/* True when every line has arrived. */
bool sink_is_done(const struct sink *sink, const struct queue *queue);

void sink_fini(struct sink *sink);

#endif
