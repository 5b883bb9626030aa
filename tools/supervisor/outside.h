/* outside - reports the service's state to the journal, to systemd and to HTTP clients.
 *
 * It never waits for them, and continues when it cannot reach them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_OUTSIDE_H
#define SUPERVISOR_OUTSIDE_H

#include "answers.h"
#include "health.h"
#include "httpd.h"

#include <stdint.h>

/* Notifications to systemd by sd_notify(3)'s protocol: one datagram each to the socket in
 * $NOTIFY_SOCKET. Without that variable none is sent. */
struct outside_notify {
	int fd; /* -1: none */
	/* systemd restarts a service that sends no ping for this long; 0: it does not */
	uint64_t watchdog_ns;
	uint64_t watchdog_sent_ns; /* CLOCK_MONOTONIC */
};

/* Read systemd's environment variables and remove them, because the stages must not see them. Print
 * a warning if the socket cannot be used. */
void outside_notify_init(struct outside_notify *notify);
void outside_notify_fini(struct outside_notify *notify);

/* The service is ready: it has started, or finished a reload. */
void outside_notify_ready(struct outside_notify *notify);
void outside_notify_reloading(struct outside_notify *notify);
void outside_notify_stopping(struct outside_notify *notify);

/* Set the line that `systemctl status` shows. */
void outside_notify_status(struct outside_notify *notify, const char *text);

/* Ping the watchdog if a ping is due. */
void outside_notify_watchdog(struct outside_notify *notify, uint64_t now_ns);

/* Fill `out` with the current state of the service; `context` is that of outside_init(). */
typedef void outside_view_fn(void *context, struct service_view *out);

struct outside {
	const struct service_options *options;
	outside_view_fn *view;
	void *context;
	int epoll_fd;
	uint32_t source;
	struct outside_notify notify;
	struct health_heartbeat heartbeat;
	struct answers answers;
	struct httpd *httpd;    /* NULL: not listening */
	uint64_t http_again_ns; /* when to retry listening, CLOCK_MONOTONIC */
	bool http_failed;       /* the failure to listen was reported */
	bool ready;             /* systemd was told */
};

/* Connect to systemd and, if the options ask for it, start to listen; a failure to listen is a
 * warning, and retried. `epoll_fd` reports HTTP work as `source`. Return 0, or -1 with errno; call
 * outside_fini() in both cases. */
int outside_init(struct outside *outside, const struct service_options *options, int epoll_fd,
	uint32_t source, outside_view_fn *view, void *context);
void outside_fini(struct outside *outside);

/* Call at each poll of the stages: notify systemd, write the heartbeat, retry listening. */
void outside_poll(struct outside *outside);

/* Serve HTTP. Call when `epoll_fd` has reported `source`, and at outside_wakes_at_ns(). */
void outside_run(struct outside *outside);

/* Return when outside_run() is due even without an event, CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t outside_wakes_at_ns(struct outside *outside, uint64_t now_ns);

void outside_reloading(struct outside *outside);
/* The reload is over, successful or not. */
void outside_reloaded(struct outside *outside);
void outside_stopping(struct outside *outside);

#endif
