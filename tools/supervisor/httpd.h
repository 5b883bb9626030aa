/* httpd - an HTTP server for a few small pages, driven by somebody else's loop: it has no thread,
 * and nobody who talks to it can make it wait.
 *
 * Each connection is for one request, and has a time for all of it; when too many are open, one is
 * dropped: see peer.h. Slow clients, even many of them, delay nobody. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_HTTPD_H
#define SUPERVISOR_HTTPD_H

#include "num.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open connections beyond so many: one is dropped. */
#define HTTPD_CLIENTS 16

/* How long a connection may take from its beginning to the last byte of the response, unless the
 * server waits for slow clients. */
#define HTTPD_PATIENCE_NS (10 * NUM_NS_PER_S)

/* What is sent. The text is copied before anything else happens. */
struct httpd_answer {
	unsigned status;  /* as in 200 */
	const char *type; /* Content-Type */
	const char *text;
	size_t length;
};

/* Answers GET and HEAD of a path, which may be anything that a client has written; what is after a
 * question mark is cut off. */
typedef void httpd_answer_fn(void *context, const char *path, struct httpd_answer *out);

struct httpd_plan {
	/* an IPv4 or IPv6 address in numbers, which may be in brackets; "" and "*" are all
	 * addresses there are, of both kinds where the machine has both */
	const char *address;
	uint16_t port;        /* 0: any */
	uint64_t patience_ns; /* HTTPD_PATIENCE_NS */
	/* at its deadline, a client that received more of a response gets the same time again */
	bool waits_for_slow_clients;
	httpd_answer_fn *answer;
	void *context;
};

struct httpd;

/* Begins to listen. NULL with errno: EADDRINUSE when somebody else does, EINVAL when that is no
 * address. */
struct httpd *httpd_new(const struct httpd_plan *plan);

/* Ends all connections. NULL is none. */
void httpd_free(struct httpd *httpd);

/* Where it listens, as in "127.0.0.1:2112", and the port. */
const char *httpd_where(const struct httpd *httpd);
uint16_t httpd_port(const struct httpd *httpd);

/* A descriptor that can be read when httpd_run() has something to do; for poll(2) or epoll(7),
 * level-triggered. */
int httpd_fd(const struct httpd *httpd);

/* After how long httpd_run() is to be called at the latest, in nanoseconds; UINT64_MAX: only when
 * the descriptor says so. */
uint64_t httpd_timeout_ns(struct httpd *httpd);

/* Does what there is to do, and never waits. */
void httpd_run(struct httpd *httpd);

#endif
