/* request - a sink that gets events in batches and answers for each: gRPC, webhook,
 * Alertmanager. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_REQUEST_H
#define EMIT_REQUEST_H

#include "../store/batch.h"
#include "http.h"
#include "verdict.h"

#include <stdbool.h>
#include <stdint.h>

struct journal;
struct sink;
struct sink_engine;

enum request_outcome {
	REQUEST_POSTED,
	REQUEST_NOTHING,    /* there is nothing to tell of these events: they have arrived */
	REQUEST_UNREADABLE, /* the spool cannot be read */
	REQUEST_NO_MEMORY,
};

/* How requests get to a server, and its answers back, if that is not HTTP: by a courier. A request
 * that nobody wants to know of any more may go on. */
struct request_carrier {
	/* Makes what it needs in the sink's request, its courier, too. 0, or -1 when memory ran
	 * out. */
	int (*init)(struct sink *sink);
	void (*fini)(struct sink *sink);
	/* Says what it means that a request was accepted. */
	void (*describe)(const struct sink *sink, char *answer, size_t size);
};

/* What a kind of sink tells its server, and what the server answers. */
struct request_kind {
	const struct request_carrier *carrier; /* NULL: HTTP */
	bool http2;                            /* and no other */
	bool is_of_stored;   /* it tells of what is in the spool, and of no event before */
	bool repeats;        /* what failed is told again as it was, with no event more or less */
	bool renews;         /* it tells of everything that stands, now and then */
	bool asks_for_quiet; /* it gets the quiet events of a baseline only with --baseline */
	/* How many events of the batch may go in one request, at least 1 unless it is empty; NULL:
	 * all. 0, or -1 when memory ran out. */
	int (*prefix)(const struct batch *batch, size_t *count);
	/* Makes the body for the request's batch, and posts it: see request_post(). */
	enum request_outcome (*post)(struct sink *sink, struct journal *journal);
	/* What the answer means; `reason` is filled unless it is ACCEPTED. NULL: what it means of
	 * any web server. */
	enum verdict (*eval)(const struct http_client *client, char reason[VERDICT_REASON_SIZE]);
	/* The answer's code of gRPC's, for metrics; NULL: it has none. */
	unsigned (*code)(const struct http_client *client);
	const char *accepted; /* what an accepted request has said, beside its HTTP status */
};

struct courier;
struct natslink;
struct pglink;
struct program;

struct request {
	struct http_target target;
	struct http_client *client; /* NULL: it has another carrier */
	/* NULL: the same; of the other three the one that its carrier has */
	struct courier *courier;
	struct natslink *link;
	struct pglink *pglink;
	struct program *program;
	struct resolver
		*resolver;  /* looks up the host once, at the beginning; NULL: that is done */
	struct batch batch; /* the events that the request under way is about */
	char *body;
	bool under_way;
	size_t suspects; /* of the events that come next, so many were refused together: 0: none */
	uint64_t again;  /* number of the last event that is to be told again as it was; 0: none */
	bool renews;     /* the request under way tells of everything that stands */
	uint64_t renew_at_ns; /* when that is due again */
};

/* True when libcurl carries the requests of a kind of sinks, whose `request` may be NULL. */
bool request_uses_http(const struct request_kind *kind);

/* How sinks work that take requests. */
extern const struct sink_engine request_engine;

/* --- for the kinds --- */

/* Posts `length` bytes of `body`, from malloc, which is stolen; NULL: memory ran out. `headers`:
 * more of them, see struct http_request. */
enum request_outcome request_post(struct sink *sink, const char *content_type,
	const char *const *headers, char *body, size_t length);

/* Number of the last event that the request under way is about. */
uint64_t request_end(const struct sink *sink);

#endif
