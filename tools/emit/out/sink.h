/* sink - delivers events to one destination: in order, retrying for ever, without delaying other
 * sinks. Common to all kinds; the engines (stream.h, request.h) do the rest. `now_ns` is
 * CLOCK_MONOTONIC. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SINK_H
#define EMIT_SINK_H

#include "../store/journal.h"
#include "checks.h"
#include "grpc.h"
#include "sinkspec.h"
#include "verdict.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* --- pure: delivered events by check and severity --- */

/* This monitor's checks, and one name for all others, which limits their number. */
#define SENT_CHECKS (CHECK_N + 3)
#define SENT_OTHER (SENT_CHECKS - 1)

/* Return the name of check `index` (below SENT_CHECKS). */
const char *sent_check_name(size_t index);

enum sent_severity { SENT_NOT_FATAL, SENT_FATAL, SENT_SEVERITY_N };

/* The functions accept NULL and then do nothing. */
struct sent {
	uint64_t arrived[SENT_CHECKS][SENT_SEVERITY_N];
	uint64_t on_its_way[SENT_CHECKS][SENT_SEVERITY_N];
};

/* Count an event that was sent. `record` NULL: it is no record. */
void sent_add(struct sent *sent, const json_t *record);

/* All events that were sent have been delivered. */
void sent_arrive(struct sent *sent);

/* They have not, and will be sent again. */
void sent_forget(struct sent *sent);

/* --- pure: backoff --- */

#define RETRY_FIRST_MS 100
#define RETRY_MOST_MS 30000

/* Return the delay in ms before attempt `attempt` (from 1) after a failure: uniformly distributed,
 * by `random`, over 1 ms to 100 ms doubled with each attempt, at most 30 s (spec#sinks-apart). So
 * many nodes that lost one collector do not return at the same moment. */
uint64_t retry_delay_ms(unsigned attempt, uint32_t random);

/* --- the sink --- */

enum sink_state {
	SINK_WAITING, /* closed, until retry_at_ns */
	SINK_OPENING,
	SINK_OPEN,
	SINK_GONE, /* closed for good: the reader of stdout has exited */
};

/* Size of the result of an attempt. */
#define SINK_ANSWER_SIZE 256

struct request;
struct sink;
struct stream;

/* Settings of all sinks in a run. */
struct sink_setting {
	const char *node;
	const char *runbook_url; /* base URL of the runbooks, see runbook.h; NULL: none */
	size_t batch_max;        /* events per request */
	uint64_t timeout_ms;     /* per request */
	uint64_t resend_ns;      /* interval of renewing alerts */
	bool is_test;            /* --test-sink: one attempt, reported only in `answer` */
	bool grpc_event_id;      /* fill HealthEvent.id */
	bool baseline;           /* send quiet events to line sinks and webhooks, too */
	uint64_t doubt_ns;       /* how long to retry an event that the server may never accept */
	/* Called for each rejected event; may be NULL. */
	void (*refused)(void *context, const struct sink *sink, uint64_t number);
	void *refused_context;
	struct http *http; /* NULL: no sink uses HTTP */
};

/* Counters since the start. */
struct sink_tally {
	uint64_t delivered;         /* delivered events */
	uint64_t refused;           /* rejected events */
	uint64_t failures;          /* failed attempts, which are retried */
	uint64_t accepted;          /* accepted requests or writes */
	uint64_t codes[GRPC_CODES]; /* responses of a gRPC server, by code */
};

struct sink {
	struct sink_spec spec;
	char label[SINK_LABEL_SIZE]; /* see sink_name() */
	const struct sink_setting *setting;
	enum sink_state state;
	uint64_t position;  /* each event up to this one was delivered */
	uint64_t noted;     /* `position` as stored in the spool */
	uint64_t delivered; /* events delivered since then */
	struct sink_tally tally;
	/* when the running request, or the oldest unconfirmed line, was sent; 0: none */
	uint64_t began_ns;
	uint64_t took_ns;  /* time from then until it was last accepted */
	struct sent *sent; /* counts delivered events; may be NULL */
	/* result of the last attempt; "": none */
	char answer[SINK_ANSWER_SIZE];
	unsigned attempt; /* failures since the last success */
	uint64_t retry_at_ns;
	bool complained;    /* since the last success */
	struct doubt doubt; /* event that the server may never accept */
	/* State of the engine; the other is NULL. */
	struct stream *stream;
	struct request *request;
};

/* Set up a sink that delivers the events after number `position`. Takes over `spec`; `setting` is
 * kept. Return 0, or -1 if memory runs out. */
int sink_init(struct sink *sink, struct sink_spec *spec, const struct sink_setting *setting,
	uint64_t position);

/* Return the name in messages: `spec.text`, or the label if it hides the address, because many
 * users can read logs. Valid as long as the sink. */
const char *sink_name(const struct sink *sink);

/* Start again after event `position`, as when the spool has a different position. */
void sink_restart(struct sink *sink, uint64_t position);

/* Adapt to a renumbering: the numbers of the events in memory grew by `by`. A running request
 * continues. */
void sink_shift(struct sink *sink, uint64_t by);

/* Try at once what waits for the next attempt, and soon again if it fails. */
void sink_hurry(struct sink *sink, uint64_t now_ns);

/* Send all standing conditions soon, if the sink sends conditions. */
void sink_renew(struct sink *sink);

/* Do what is possible now: open, send, confirm. `ready`: poll(2) reported its descriptor. */
void sink_pump(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready);

/* Return what to poll: the descriptor, or -1, and its events; and the time limit, UINT64_MAX:
 * none. */
int sink_waits_for(const struct sink *sink, const struct journal *journal, short *events);
uint64_t sink_wakes_at_ns(const struct sink *sink, const struct journal *journal, uint64_t now_ns);

/* Return true if every event was delivered. */
bool sink_is_done(const struct sink *sink, const struct journal *journal);

/* Return false if the last attempt failed. */
bool sink_is_up(const struct sink *sink, const struct journal *journal);

void sink_fini(struct sink *sink);

/* --- for the engines --- */

/* Report a failure once, and schedule the next attempt. */
void sink_fail(struct sink *sink, const char *problem, uint64_t now_ns);

/* Report once that the sink accepts nothing at present. */
void sink_note_stuck(struct sink *sink, const char *problem);

/* Note that what was sent at began_ns, if anything, was accepted. */
void sink_note_accepted(struct sink *sink, uint64_t now_ns);

/* Count a sent event of a batch. */
void sink_note_sent(struct sink *sink, const struct batch *batch, size_t index);

/* Every event up to `position` has been delivered, `count` of them now. */
void sink_advance(struct sink *sink, uint64_t position, uint64_t count);

/* Store the result of the last attempt. */
void sink_note_answer(struct sink *sink, const char *answer);

/* Note a success, even if no event was delivered. */
void sink_works(struct sink *sink);

#endif
