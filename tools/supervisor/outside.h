/* outside - what the service tells others about itself: the journal, systemd, and whoever asks by HTTP.
 *
 * None of them can hurt it: nobody is waited for, and what cannot be told is no reason to stop. */
#ifndef SUPERVISOR_OUTSIDE_H
#define SUPERVISOR_OUTSIDE_H

#include "answers.h"
#include "heartbeat.h"
#include "httpd.h"
#include "notify.h"

/* How the service is now; `context` is that of outside_init(). */
typedef void outside_view_fn(void *context, struct service_view *out);

struct outside {
	const struct service_options *options;
	outside_view_fn *view;
	void *context;
	int epoll_fd;
	uint32_t source;
	struct notify notify;
	struct heartbeat heartbeat;
	struct answers answers;
	struct httpd *httpd;    /* NULL: it does not listen */
	uint64_t http_again_ns; /* when to try to listen, CLOCK_MONOTONIC */
	bool http_failed;       /* which has been said */
	bool ready;             /* which has been said */
};

/* Begins to listen, if the options say so; what fails is a warning and tried again. HTTP is reported by `epoll_fd` as `source`. 0, or -1 with errno;
 * outside_fini() in both cases. */
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
