/* request - a sink that gets events in batches and answers for each: gRPC, webhook, Alertmanager. */
#ifndef EMIT_REQUEST_H
#define EMIT_REQUEST_H

#include "batch.h"
#include "http.h"

#include <stdbool.h>
#include <stdint.h>

struct sink;
struct journal;

struct request {
	struct http_target target;
	struct http_client *client;
	struct batch batch; /* the events that the request under way is about */
	char *body;
	bool under_way;
	size_t suspects; /* of the events that come next, so many were refused together: 0: none */
	bool renews;     /* the request under way tells of everything that stands */
	uint64_t renew_at_ns; /* Alertmanager: when to do so again */
};

/* Of `sink`, whose spec and setting are set. 0, or -1 when memory ran out. */
int request_init(struct sink *sink);
void request_fini(struct sink *sink);

/* Forgets the request under way; the next begins behind the sink's position. */
void request_restart(struct sink *sink);

/* See sink.h. */
void request_pump(struct sink *sink, struct journal *journal, uint64_t now_ns);
uint64_t request_wakes_at_ns(
	const struct sink *sink, const struct journal *journal, uint64_t now_ns);

#endif
