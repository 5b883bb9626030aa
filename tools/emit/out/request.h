/* request - engine of the sinks that send batches and read a response: gRPC, webhook, Alertmanager,
 * NATS, PostgreSQL, programs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_REQUEST_H
#define EMIT_REQUEST_H

#include "requestkind.h"

struct sink_engine;

/* Return true if libcurl carries the requests of a kind. `kind` may be NULL. */
bool request_uses_http(const struct request_kind *kind);

/* The engine of sinks that send requests. */
extern const struct sink_engine request_engine;

/* --- for the kinds --- */

/* Post `length` bytes of `body`, from malloc; takes ownership. `body` NULL: memory ran out.
 * `headers`: additional ones, see struct http_request. */
enum request_outcome request_post(struct sink *sink, const char *content_type,
	const char *const *headers, char *body, size_t length);

/* As request_post(), one request after the other for each part of `body`: NUL-terminated texts, one
 * after the other, with an empty one after the last. The events are delivered when the server has
 * accepted all of them; otherwise all are sent again. Only for HTTP. */
enum request_outcome request_post_parts(struct sink *sink, const char *content_type, char *body);

/* Return the number of the last event of the running request. */
uint64_t request_end(const struct sink *sink);

#endif
