/* outside - what the service tells others about itself: the journal, systemd, and whoever asks by HTTP. */
#include "outside.h"

#include "clock.h"
#include "diag.h"
#include "num.h"
#include "watch.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

/* How long to wait for a port that somebody else has, as the service before us may for a moment. */
#define HTTP_AGAIN_NS (10 * NUM_NS_PER_S)

/* --- HTTP --- */

static void
answer(void *context, const char *path, struct httpd_answer *out)
{
	struct outside *outside = context;
	struct service_view view;
	outside->view(outside->context, &view);
	answers_give(&outside->answers, &view, path, out);
}

/* One that says why only once. */
static void
open_http(struct outside *outside, uint64_t now_ns)
{
	const struct service_options *options = outside->options;
	const char *address = options->metrics_address != NULL ? options->metrics_address : "";
	const struct httpd_plan plan = {
		.address = address,
		.port = (uint16_t)options->metrics_port,
		.patience_ns = HTTPD_PATIENCE_NS,
		.answer = answer,
		.context = outside,
	};
	outside->http_again_ns = now_ns + HTTP_AGAIN_NS;
	outside->httpd = httpd_new(&plan);
	if (outside->httpd == NULL) {
		if (!outside->http_failed)
			diag_warn(
				"metrics: cannot listen on port %d%s%s: %s: trying again every %llu s",
				options->metrics_port, *address != '\0' ? " of " : "", address,
				strerror(errno),
				(unsigned long long)(HTTP_AGAIN_NS / NUM_NS_PER_S));
		outside->http_failed = true;
		return;
	}
	outside->http_failed = false;
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = outside->source};
	epoll_ctl(outside->epoll_fd, EPOLL_CTL_ADD, httpd_fd(outside->httpd), &event);
	diag_note("metrics: listening on %s", httpd_where(outside->httpd));
}

void
outside_run(struct outside *outside)
{
	if (outside->httpd != NULL)
		httpd_run(outside->httpd);
}

uint64_t
outside_wakes_at_ns(struct outside *outside, uint64_t now_ns)
{
	uint64_t timeout_ns =
		outside->httpd != NULL ? httpd_timeout_ns(outside->httpd) : UINT64_MAX;
	return timeout_ns < UINT64_MAX - now_ns ? now_ns + timeout_ns : UINT64_MAX;
}

/* --- the journal and systemd --- */

/* As long as scans are evaluated, systemd is told that all is well. */
static bool
is_getting_on(const struct service_view *view)
{
	uint64_t since_ns = view->last_scan_ns != 0 ? view->last_scan_ns : view->started_ns;
	return view->now_ns < since_ns ||
	       view->now_ns - since_ns < watch_limit_ns(view->interval_ns, false);
}

static void
tell_heartbeat(struct outside *outside, const struct service_view *view)
{
	char line[HEARTBEAT_SIZE];
	if (!heartbeat_due(&outside->heartbeat, view))
		return;
	heartbeat_format(view, line, sizeof line);
	diag_note("%s", line);
	notify_status(&outside->notify, line);
}

void
outside_look(struct outside *outside)
{
	struct service_view view;
	outside->view(outside->context, &view);
	if (view.last_scan_ns != 0 && !outside->ready && !view.stopping) {
		outside->ready = true;
		notify_ready(&outside->notify);
	}
	if (is_getting_on(&view))
		notify_watchdog(&outside->notify, view.now_ns);
	tell_heartbeat(outside, &view);
	if (outside->httpd == NULL && outside->options->metrics_port >= 0 &&
		view.now_ns >= outside->http_again_ns)
		open_http(outside, view.now_ns);
}

void
outside_reloading(struct outside *outside)
{
	/* Before the first scan the service is not ready, reload or not. */
	if (outside->ready)
		notify_reloading(&outside->notify);
}

void
outside_reloaded(struct outside *outside)
{
	if (outside->ready)
		notify_ready(&outside->notify);
}

void
outside_stopping(struct outside *outside)
{
	notify_stopping(&outside->notify);
}

/* --- beginning and end --- */

int
outside_init(struct outside *outside, const struct service_options *options, int epoll_fd,
	uint32_t source, outside_view_fn *view, void *context)
{
	*outside = (struct outside){
		.options = options,
		.view = view,
		.context = context,
		.epoll_fd = epoll_fd,
		.source = source,
	};
	notify_init(&outside->notify);
	if (answers_init(&outside->answers, clock_realtime_ns()) < 0)
		return -1;
	if (options->metrics_port >= 0)
		open_http(outside, clock_monotonic_ns());
	return 0;
}

void
outside_fini(struct outside *outside)
{
	httpd_free(outside->httpd);
	answers_fini(&outside->answers);
	notify_fini(&outside->notify);
}
