/* verdict - what a server's answer means for the events that it was sent (spec#refusals), and the
 * words for it; and for how long its answers have left open whether it will ever accept an event.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_VERDICT_H
#define EMIT_VERDICT_H

#include "http.h"

#include <stddef.h>
#include <stdint.h>

/* Room for why. */
#define VERDICT_REASON_SIZE 200

enum verdict {
	VERDICT_ACCEPTED,
	VERDICT_RETRY,   /* not now: the same again, later */
	VERDICT_LESS,    /* not now, and perhaps not so many at once */
	VERDICT_DOUBTED, /* perhaps not now, perhaps never: see struct doubt */
	VERDICT_REFUSED, /* these events, or one of them, will never do */
};

/* Makes a reason: `what`, and after a colon the server's own `length` bytes of `detail`, if there
 * are any. White space around these is left out, what is not UTF-8 becomes U+FFFD, and what is too
 * long is cut between characters. */
void verdict_explain(
	char reason[VERDICT_REASON_SIZE], const char *what, const char *detail, size_t length);

/* What the answer of a web server means, be it a webhook's or an Alertmanager's; `reason` is filled
 * unless it is ACCEPTED. */
enum verdict verdict_of_http(const struct http_reply *reply, char reason[VERDICT_REASON_SIZE]);

/* How long a server's answers have left open whether it will ever accept an event.
 *
 * gRPC's UNKNOWN is what a handler answers that has thrown: because its database was away, or
 * because of this event. While nobody knows, the event is tried again, and everything after it
 * waits, since the order never changes; after some hours it is taken for the event's fault. Only
 * time in which it was tried counts: not that in which emit did not run, or in which the server
 * answered something else, and no step of the clock. */
struct doubt {
	uint64_t number;    /* of the event, the first of those that were sent; 0: none */
	uint64_t spent_ns;  /* between answers like this, one after the other */
	uint64_t latest_ns; /* when the latest came; 0: none, or something else has come since */
};

/* Such an answer has come, about event `number` and perhaps some after it. `now_ns`, not 0, of a
 * clock that never steps. Returns how long it has been so for this event. */
uint64_t doubt_note(struct doubt *doubt, uint64_t number, uint64_t now_ns);

/* Something else was answered, or nothing: from here to the next doubt no time is counted. */
void doubt_pause(struct doubt *doubt);

#endif
