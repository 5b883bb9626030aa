/* outside - what the service tells others about itself: the journal, systemd, and whoever asks by
 * HTTP.
 *
 * None of them can hurt it: it waits for nobody, and goes on when it cannot reach them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_OUTSIDE_H
#define SUPERVISOR_OUTSIDE_H

#include "answers.h"
#include "health.h"
#include "httpd.h"

#include <stdint.h>

/* What systemd is told about the service, by sd_notify(3)'s protocol: one datagram to the socket in
 * $NOTIFY_SOCKET. Without it nobody is told anything. */
struct outside_notify {
	int fd; /* -1: nobody to tell */
	/* within that time systemd wants to hear that we are well; 0: it does not */
	uint64_t watchdog_ns;
	uint64_t watchdog_sent_ns; /* CLOCK_MONOTONIC */
};

/* Looks at the environment, and takes out of it what the stages must not see. An address that
 * cannot be used is a warning. */
void outside_notify_init(struct outside_notify *notify);
void outside_notify_fini(struct outside_notify *notify);

/* The service has started, or ended its reload. */
void outside_notify_ready(struct outside_notify *notify);
void outside_notify_reloading(struct outside_notify *notify);
void outside_notify_stopping(struct outside_notify *notify);

/* One line for `systemctl status`. */
void outside_notify_status(struct outside_notify *notify, const char *text);

/* We are well: sent as often as is wanted, however often it is called. */
void outside_notify_watchdog(struct outside_notify *notify, uint64_t now_ns);

/* How the service is now; `context` is that of outside_init(). */
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
	struct httpd *httpd;    /* NULL: it does not listen */
	uint64_t http_again_ns; /* when to try to listen, CLOCK_MONOTONIC */
	bool http_failed;       /* which has been said */
	bool ready;             /* which has been said */
};

/* Begins to listen, if the options say so; what fails is a warning and tried again. HTTP is
 * reported by `epoll_fd` as `source`. 0, or -1 with errno; outside_fini() in both cases. */
int outside_init(struct outside *outside, const struct service_options *options, int epoll_fd,
	uint32_t source, outside_view_fn *view, void *context);
void outside_fini(struct outside *outside);

/* To be called at each look: says what there is to say. */
void outside_look(struct outside *outside);

/* To be called when `epoll_fd` has reported `source`, or outside_wakes_at_ns() has come. */
void outside_run(struct outside *outside);

/* When outside_run() has something to do even so, CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t outside_wakes_at_ns(struct outside *outside, uint64_t now_ns);

void outside_reloading(struct outside *outside);
/* The reload is over, whatever came of it. */
void outside_reloaded(struct outside *outside);
void outside_stopping(struct outside *outside);

#endif
