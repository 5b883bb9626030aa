/* http - requests to servers, one at a time to each over a connection that is kept, without ever
 * waiting. libcurl does the protocol.
 *
 * All clients share one descriptor to poll(2): when it is readable, or http_wakes_at_ns() has come,
 * call http_pump(), and then ask each client that is busy. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_HTTP_H
#define EMIT_HTTP_H

#include "token.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where to, and with what. Everything is borrowed for as long as the client lives; NULL: not
 * used. */
struct http_target {
	const char *url; /* http:// or https:// */
	/* the socket to connect to; the URL then only names the path on the server */
	const char *unix_path;
	/* who the server is by its certificate; the URL then only says where it is */
	const char *server_name;
	/* HTTP/2 and no other: http:// without asking (prior knowledge), https:// negotiates it */
	bool http2;
	struct trust_files files;
};

struct http_request {
	const char *content_type;
	const char *const *headers; /* more of them, "Name: value"; NULL-terminated, or NULL */
	const char *body;           /* kept by the caller until the request is over */
	size_t length;
	uint64_t timeout_ms; /* for all of it, the connecting included */
};

/* What came of a request. */
struct http_reply {
	const char *problem; /* why there is no whole answer, in words; NULL: there is one */
	long status;         /* HTTP status, 0 when not even that came */
	const char *body;    /* NUL-terminated; what came of it, up to REPLY_BODY_KEPT_BYTES */
	size_t length;
};

struct http;
struct http_client;

/* Loads libcurl. NULL when memory ran out, or libcurl is not there (curllib_load() says why) or
 * cannot do what is needed. Free it after its clients. */
struct http *http_new(void);
void http_free(struct http *http);

/* Readable when there is something to do. */
int http_fd(const struct http *http);

/* CLOCK_MONOTONIC nanoseconds at which there is something to do without that; UINT64_MAX: no such
 * time. */
uint64_t http_wakes_at_ns(const struct http *http);

/* Does what can be done now. */
void http_pump(struct http *http);

/* `target` is kept, not copied. NULL when memory ran out. */
struct http_client *http_client_new(struct http *http, const struct http_target *target);

/* Ends its request, if there is one, and closes its connection. NULL is allowed. */
void http_client_free(struct http_client *client);

/* Starts a POST; the client must not be busy. What cannot be started, as when the token file cannot
 * be read, is the reply's problem, not an error here. 0, or -1 when memory ran out. */
int http_client_post(struct http_client *client, const struct http_request *request);

/* True from http_client_post() until the answer is whole or has failed. */
bool http_client_is_busy(const struct http_client *client);

/* The answer to the last request, once the client is not busy. Valid until the next. */
const struct http_reply *http_client_reply(const struct http_client *client);

/* A header or trailer of that answer, by its name in any case: of several the last one. NULL: there
 * was none. */
const char *http_client_header(const struct http_client *client, const char *name);

/* Ends the request that is under way, if there is one; that is then the reply's problem. */
void http_client_cancel(struct http_client *client);

#endif
