/* verdict - what a server's response means for the events it was sent (spec#refusals), with a
 * reason; and doubt, how long it has been unclear whether an event will ever be accepted. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_VERDICT_H
#define EMIT_VERDICT_H

#include "http.h"

#include <stddef.h>
#include <stdint.h>

/* Size of a reason. */
#define VERDICT_REASON_SIZE 200

enum verdict {
	VERDICT_ACCEPTED,
	VERDICT_RETRY,   /* retry the same later */
	VERDICT_LESS,    /* retry later, perhaps with fewer events */
	VERDICT_DOUBTED, /* perhaps retry, perhaps rejected: see struct doubt */
	VERDICT_REFUSED, /* at least one of the events is rejected for good */
};

/* Format a reason: `what`, and after a colon the server's text `detail`, of `length` bytes, if any.
 * White space around it is removed, invalid UTF-8 becomes U+FFFD, and the result is cut between
 * characters. */
void verdict_explain(
	char reason[VERDICT_REASON_SIZE], const char *what, const char *detail, size_t length);

/* Evaluate the response of a web server such as a webhook or an Alertmanager. Fill `reason` unless
 * the verdict is ACCEPTED. */
enum verdict verdict_of_http(const struct http_reply *reply, char reason[VERDICT_REASON_SIZE]);

/* For how long a server has left open whether it will ever accept an event.
 *
 * A gRPC handler that throws an exception returns UNKNOWN, whether its database is down or the
 * event is bad. In doubt the event is retried, and later events wait, because the order never
 * changes. After some hours the event is considered bad. Only time in which it was tried counts:
 * not while emit was down or the server returned something else, and no step of the clock. */
struct doubt {
	uint64_t number;    /* first event of the request; 0: none */
	uint64_t spent_ns;  /* sum of the times between consecutive such responses */
	uint64_t latest_ns; /* last such response; 0: none, or another response since */
};

/* Note such a response about event `number` and perhaps later ones. `now_ns`: not 0, of a monotonic
 * clock. Return the time spent on this event. */
uint64_t doubt_note(struct doubt *doubt, uint64_t number, uint64_t now_ns);

/* Note another response, or none: count no time until the next doubt. */
void doubt_pause(struct doubt *doubt);

#endif
