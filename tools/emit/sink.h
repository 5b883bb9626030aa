/* sink - one place events go to: delivered in order, tried again for ever, and nobody else's problem. What all kinds have in common, and who does the rest. */
#ifndef EMIT_SINK_H
#define EMIT_SINK_H

#include "journal.h"
#include "request.h"
#include "sent.h"
#include "sinkspec.h"
#include "stream.h"

enum sink_state {
	SINK_WAITING, /* closed, until retry_at_ns */
	SINK_OPENING,
	SINK_OPEN,
	SINK_GONE, /* closed for good: stdout whose reader has left */
};

/* What all sinks of a run share. */
struct sink_setting {
	const char *node;
	size_t batch_max;    /* events in a request */
	uint64_t timeout_ms; /* of a request */
	uint64_t resend_ns;  /* how often alerts are renewed */
	struct http *http;   /* NULL: no sink takes requests */
};

/* What has come of a sink since the start; these only grow. */
struct sink_tally {
	uint64_t delivered; /* events that have arrived */
	uint64_t refused;   /* events that were */
	uint64_t failures;  /* attempts that failed, and are made again */
	uint64_t takings;   /* requests, or writes, that were taken */
};

struct sink {
	struct sink_spec spec;
	const struct sink_setting *setting;
	enum sink_state state;
	uint64_t position;  /* every event up to this one has arrived */
	uint64_t noted;     /* the same, as the spool knows it */
	uint64_t delivered; /* events that have arrived since it was told */
	struct sink_tally tally;
	uint64_t
		began_ns; /* when the request under way, or the oldest line not yet arrived, went out; 0: none */
	uint64_t took_ns;  /* how long the last taking took, from then on */
	struct sent *sent; /* counts what has arrived; nullable */
	unsigned attempt;  /* failures since something arrived last */
	uint64_t retry_at_ns;
	bool complained;      /* since it worked last */
	struct stream stream; /* of these two, the one that its kind needs */
	struct request request;
};

/* Takes `spec` over; `setting` is kept. Events after number `position` are delivered. 0, or -1 when memory ran out. */
int sink_init(struct sink *sink, struct sink_spec *spec, const struct sink_setting *setting,
	uint64_t position);

/* Begins again behind another event, as when the spool turns out to know more. */
void sink_restart(struct sink *sink, uint64_t position);

/* Does what can be done now: opens, sends, confirms. `ready`: poll(2) reported its descriptor. */
void sink_pump(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready);

/* What to wait for: the descriptor, or -1, and the events; and until when at the latest, UINT64_MAX for no such time. */
int sink_waits_for(const struct sink *sink, const struct journal *journal, short *events);
uint64_t sink_wakes_at_ns(const struct sink *sink, const struct journal *journal, uint64_t now_ns);

/* True when every event has arrived. */
bool sink_is_done(const struct sink *sink, const struct journal *journal);

/* False when the last attempt failed. */
bool sink_is_up(const struct sink *sink, const struct journal *journal);

void sink_fini(struct sink *sink);

/* --- for its kinds --- */

/* It has failed, for the time being: says so once, and waits before the next attempt. */
void sink_fail(struct sink *sink, const char *problem, uint64_t now_ns);

/* What went out at began_ns, if anything did, was taken. */
void sink_taken(struct sink *sink, uint64_t now_ns);

/* Every event up to `position` has arrived, `count` of them now. */
void sink_advance(struct sink *sink, uint64_t position, uint64_t count);

/* It works, whether or not anything has arrived. */
void sink_works(struct sink *sink);

#endif
