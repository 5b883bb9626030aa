/* sink - one place to which events go: in order, with attempts for ever, and without delaying other
 * sinks. What all kinds have in common, and who does the rest. */
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

/* --- pure: the events that have arrived at a sink, by check and severity --- */

/* Our checks, and after them one name for all others: whatever records say, there are no more. */
#define SENT_CHECKS (CHECK_N + 3)
#define SENT_OTHER (SENT_CHECKS - 1)

/* The name of the one with this index, below SENT_CHECKS. */
const char *sent_check_name(size_t index);

enum sent_severity { SENT_NOT_FATAL, SENT_FATAL, SENT_SEVERITY_N };

/* The functions about it accept NULL, and do nothing then. */
struct sent {
	uint64_t arrived[SENT_CHECKS][SENT_SEVERITY_N];
	uint64_t on_its_way[SENT_CHECKS][SENT_SEVERITY_N];
};

/* An event has gone out; `record` may be NULL, when it is none. */
void sent_add(struct sent *sent, const json_t *record);

/* All that has gone out has arrived. */
void sent_arrive(struct sent *sent);

/* It has not, and will go out again. */
void sent_forget(struct sent *sent);

/* --- pure: how long to wait before a sink is tried again --- */

#define RETRY_FIRST_MS 100
#define RETRY_MOST_MS 30000

/* Delay in milliseconds before attempt number `attempt` (from 1) after a failure: evenly spread, by
 * `random`, over 1 ms to 100 ms doubled with each attempt, at most 30 s (spec#sinks-apart). Many
 * nodes that lost one collector together come back spread. */
uint64_t retry_delay_ms(unsigned attempt, uint32_t random);

/* --- the sink --- */

enum sink_state {
	SINK_WAITING, /* closed, until retry_at_ns */
	SINK_OPENING,
	SINK_OPEN,
	SINK_GONE, /* closed for good: stdout whose reader has left */
};

/* Room for what came of an attempt. */
#define SINK_ANSWER_SIZE 256

struct request;
struct sink;
struct stream;

/* What all sinks of a run share. */
struct sink_setting {
	const char *node;
	const char *runbook_url; /* the address of the pages, see runbook.h; NULL: none */
	size_t batch_max;        /* events in a request */
	uint64_t timeout_ms;     /* of a request */
	uint64_t resend_ns;      /* how often alerts are renewed */
	bool is_test;            /* one attempt is made, and nothing said of it but in `answer` */
	bool grpc_event_id;      /* HealthEvent.id is filled */
	bool baseline;     /* sinks that take lines, and webhooks, get events that are quiet, too */
	uint64_t doubt_ns; /* how long to try an event that the server may never accept */
	/* Told of each event that is refused; NULL: nobody asks. */
	void (*refused)(void *context, const struct sink *sink, uint64_t number);
	void *refused_context;
	struct http *http; /* NULL: no sink takes requests */
};

/* What has come of a sink since the start; these only grow. */
struct sink_tally {
	uint64_t delivered;         /* events that have arrived */
	uint64_t refused;           /* events that were */
	uint64_t failures;          /* attempts that failed, and are made again */
	uint64_t accepted;          /* requests, or writes, that were */
	uint64_t codes[GRPC_CODES]; /* answers of a gRPC server, by their code */
};

struct sink {
	struct sink_spec spec;
	char label[SINK_LABEL_SIZE]; /* see sink_name() */
	const struct sink_setting *setting;
	enum sink_state state;
	uint64_t position;  /* every event up to this one has arrived */
	uint64_t noted;     /* the same, as the spool knows it */
	uint64_t delivered; /* events that have arrived since it was told */
	struct sink_tally tally;
	/* when the request under way, or the oldest line not yet arrived, went out; 0: none */
	uint64_t began_ns;
	uint64_t took_ns;  /* how long the last taking took, from then on */
	struct sent *sent; /* counts what has arrived; nullable */
	/* what came of the latest attempt, in words; "": nothing yet */
	char answer[SINK_ANSWER_SIZE];
	unsigned attempt; /* failures since something arrived last */
	uint64_t retry_at_ns;
	bool complained;    /* since it worked last */
	struct doubt doubt; /* the event that the server may never accept */
	/* of these two, the one that its engine has made; NULL: the other */
	struct stream *stream;
	struct request *request;
};

/* Takes `spec` over; `setting` is kept. Events after number `position` are delivered. 0, or -1 when
 * memory ran out. */
int sink_init(struct sink *sink, struct sink_spec *spec, const struct sink_setting *setting,
	uint64_t position);

/* What messages call it: as it was given, a webhook by its label, since messages go to logs that
 * many may read. Valid as long as the sink. */
const char *sink_name(const struct sink *sink);

/* Begins again after another event, as when the spool turns out to know more. */
void sink_restart(struct sink *sink, uint64_t position);

/* The events in memory have got numbers that are higher by so much: what is under way stays so. */
void sink_shift(struct sink *sink, uint64_t by);

/* Whoever it tells is to be told soon of everything that stands, if it tells of that at all. */
void sink_renew(struct sink *sink);

/* Does what can be done now: opens, sends, confirms. `ready`: poll(2) reported its descriptor. */
void sink_pump(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready);

/* What to wait for: the descriptor, or -1, and the events; and until when at the latest, UINT64_MAX
 * for no such time. */
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

/* It takes nothing, and may yet: says so once. */
void sink_note_stuck(struct sink *sink, const char *problem);

/* What went out at began_ns, if anything did, was accepted. */
void sink_note_accepted(struct sink *sink, uint64_t now_ns);

/* An event of a batch has gone out. */
void sink_note_sent(struct sink *sink, const struct batch *batch, size_t index);

/* Every event up to `position` has arrived, `count` of them now. */
void sink_advance(struct sink *sink, uint64_t position, uint64_t count);

/* Notes what came of the latest attempt. */
void sink_note_answer(struct sink *sink, const char *answer);

/* It works, whether or not anything has arrived. */
void sink_works(struct sink *sink);

#endif
