/* http - non-blocking HTTP requests by libcurl, one at a time per server over a connection that is
 * kept.
 *
 * All clients share one descriptor for poll(2). When it is readable, or at http_wakes_at_ns(), call
 * http_pump() and then check each busy client. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_HTTP_H
#define EMIT_HTTP_H

#include "httptarget.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_request {
	const char *content_type;
	const char *const *headers; /* additional ones, "Name: value"; NULL-terminated, or NULL */
	const char *body;           /* has to outlive the request */
	size_t length;
	uint64_t timeout_ms; /* in total, including the connect */
};

/* Result of a request. */
struct http_reply {
	const char *problem; /* why there is no complete response; NULL: there is one */
	long status;         /* HTTP status; 0: none received */
	const char *body;    /* NUL-terminated; cut at REPLY_BODY_KEPT_BYTES */
	size_t length;
};

struct http;
struct http_client;

/* Load libcurl. Return NULL if memory runs out, if libcurl is missing (curllib_load() returns the
 * reason) or if it lacks a feature. Free the clients before it. */
struct http *http_new(void);
void http_free(struct http *http);

/* Return a descriptor that is readable when http_pump() has work. */
int http_fd(const struct http *http);

/* Return when to call http_pump() at the latest, ns of CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t http_wakes_at_ns(const struct http *http);

/* Process all events that are ready. */
void http_pump(struct http *http);

/* `target` is kept, not copied. Return NULL if memory runs out. */
struct http_client *http_client_new(struct http *http, const struct http_target *target);

/* Cancel the request, if any, close the connection, and free the client. It may be NULL. */
void http_client_free(struct http_client *client);

/* Start a POST; the client must not be busy. A failure to start it, such as an unreadable token
 * file, becomes the reply's problem. Return 0, or -1 if memory runs out. */
int http_client_post(struct http_client *client, const struct http_request *request);

/* Return true from http_client_post() until the response is complete or has failed. */
bool http_client_is_busy(const struct http_client *client);

/* Return the response to the last request; the client must not be busy. Valid until the next
 * request. */
const struct http_reply *http_client_reply(const struct http_client *client);

/* Return a header or trailer of that response, by case-insensitive name; the last one of several.
 * NULL: none. */
const char *http_client_header(const struct http_client *client, const char *name);

/* Cancel the running request, if any; the reply's problem says so. */
void http_client_cancel(struct http_client *client);

#endif
