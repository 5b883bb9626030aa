/* httpd - an HTTP server for a few small pages, driven by the caller's event loop. It has no thread
 * and never waits for a client.
 *
 * Each connection serves one request within a time limit. If too many are open, one is dropped: see
 * peer.h. So slow clients delay nobody. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_HTTPD_H
#define SUPERVISOR_HTTPD_H

#include "num.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum of open connections; beyond it one is dropped. */
#define HTTPD_CLIENTS 16

/* Time limit of a connection, from accept to the last byte of the response; see
 * waits_for_slow_clients. */
#define HTTPD_PATIENCE_NS (10 * NUM_NS_PER_S)

/* A response. httpd copies the text when httpd_answer_fn returns. */
struct httpd_answer {
	unsigned status;  /* as in 200 */
	const char *type; /* Content-Type */
	const char *text;
	size_t length;
};

/* Fill `out` with the response to GET or HEAD of `path`, an arbitrary string from the client
 * without its query. */
typedef void httpd_answer_fn(void *context, const char *path, struct httpd_answer *out);

struct httpd_plan {
	/* a numeric IPv4 or IPv6 address, which may be in brackets; "" and "*": all addresses, IPv6
	 * and IPv4 if the machine has both */
	const char *address;
	uint16_t port;        /* 0: any */
	uint64_t patience_ns; /* HTTPD_PATIENCE_NS */
	/* give a client that received more of the response since its last deadline the same time
	 * again */
	bool waits_for_slow_clients;
	httpd_answer_fn *answer;
	void *context;
};

struct httpd;

/* Start to listen. Return NULL with errno: EADDRINUSE if the port is taken, EINVAL if the address
 * is invalid. */
struct httpd *httpd_new(const struct httpd_plan *plan);

/* Close all connections and free the server; NULL is allowed. */
void httpd_free(struct httpd *httpd);

/* Return the address it listens on, as in "127.0.0.1:2112", or its port. */
const char *httpd_where(const struct httpd *httpd);
uint16_t httpd_port(const struct httpd *httpd);

/* Return a descriptor that is readable when httpd_run() has work; for poll(2) or level-triggered
 * epoll(7). */
int httpd_fd(const struct httpd *httpd);

/* Return after how many nanoseconds httpd_run() must be called at the latest; UINT64_MAX: only when
 * the descriptor is readable. */
uint64_t httpd_timeout_ns(struct httpd *httpd);

/* Serve requests and drop connections whose time is up; never waits. */
void httpd_run(struct httpd *httpd);

#endif
