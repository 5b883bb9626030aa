/* requestkind - a kind of sinks that send requests, and the data of such a sink. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_REQUESTKIND_H
#define EMIT_REQUESTKIND_H

#include "../store/batch.h"
#include "http.h"
#include "verdict.h"

#include <stdbool.h>
#include <stdint.h>

struct journal;
struct sink;

enum request_outcome {
	REQUEST_POSTED,
	REQUEST_NOTHING,    /* these events need no request: they count as delivered */
	REQUEST_UNREADABLE, /* the spool cannot be read */
	REQUEST_NO_MEMORY,
};

/* How requests reach a server. A kind without one uses HTTP; all others use a courier, whose
 * abandoned request may continue. */
struct request_carrier {
	/* Create the carrier's data in sink->request, including the courier, if any. Return 0, or
	 * -1 if memory runs out. */
	int (*init)(struct sink *sink);
	void (*fini)(struct sink *sink);
	/* Describe the result of an accepted request. */
	void (*describe)(const struct sink *sink, char *answer, size_t size);
};

/* A kind of sink: its requests and responses. */
struct request_kind {
	const struct request_carrier *carrier; /* NULL: HTTP */
	bool http2;                            /* HTTP/2 only */
	bool is_of_stored;                     /* send only events that are stored in the spool */
	bool repeats;        /* repeat a failed request with exactly the same events */
	bool renews;         /* also send all standing conditions at intervals */
	bool asks_for_quiet; /* gets quiet baseline events only with --baseline */
	/* Set `*count` to how many events of the batch may go into one request, at least 1 unless
	 * the batch is empty. NULL: all. Return 0, or -1 if memory runs out. */
	int (*prefix)(const struct batch *batch, size_t *count);
	/* Encode the request's batch and post it: see request_post(). */
	enum request_outcome (*post)(struct sink *sink, struct journal *journal);
	/* Evaluate the response. Fill `reason` unless the verdict is ACCEPTED. NULL:
	 * verdict_of_http(). */
	enum verdict (*eval)(const struct http_client *client, char reason[VERDICT_REASON_SIZE]);
	/* Return the response's gRPC code, for metrics. NULL: none. */
	unsigned (*code)(const struct http_client *client);
	const char *accepted; /* text after the HTTP status of an accepted request */
};

struct courier;
struct natslink;
struct pglink;
struct program;

struct request {
	struct http_target target;
	struct http_client *client; /* NULL: another carrier */
	/* NULL for HTTP; else the courier, and the carrier's data in one of the other three. */
	struct courier *courier;
	struct natslink *natslink;
	struct pglink *pglink;
	struct program *program;
	struct resolver *resolver; /* lookup of the host at the start; NULL: done */
	struct batch batch;        /* events of the running request */
	char *body;
	/* Only of a request in parts: */
	const char *content_type;
	const char *rest; /* of the body, after the part that is under way; NULL: none */
	bool under_way;
	size_t suspects;      /* the next events that were rejected together; 0: none */
	uint64_t repeat_upto; /* last event of a request to repeat unchanged; 0: none */
	bool renews;          /* the running request sends all standing conditions */
	uint64_t renew_at_ns; /* when to send them again */
};

#endif
