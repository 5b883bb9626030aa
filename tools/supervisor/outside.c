/* outside - reports the service's state to the journal, to systemd and to HTTP clients. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "outside.h"

#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "num.h"
#include "text.h"
#include "watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* --- systemd --- */

/* Ping the watchdog this many times per interval: one late ping restarts the whole service. */
#define WATCHDOG_MARGIN 3

/* Connect to a path, or to an abstract name after '@' (systemd.exec(5)). */
static int
connect_to(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(name);
	if ((*name != '/' && *name != '@') || length < 2 || length >= sizeof address.sun_path) {
		errno = EINVAL;
		return -1;
	}
	memcpy(address.sun_path, name, length);
	if (*name == '@')
		address.sun_path[0] = '\0';
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) == 0)
		return fd;
	fd_close(fd);
	return -1;
}

/* Return the watchdog's interval; 0: none. WATCHDOG_PID names the process that it is for; without
 * it, it is for us. */
static uint64_t
watchdog_ns(void)
{
	const char *text = getenv("WATCHDOG_USEC"), *pid_text = getenv("WATCHDOG_PID");
	uint64_t us, pid;
	if (text == NULL || num_parse_u64(text, UINT64_MAX / NUM_NS_PER_US, &us) != NUM_OK)
		return 0;
	if (pid_text != NULL &&
		(num_parse_u64(pid_text, INT32_MAX, &pid) != NUM_OK || pid != (uint64_t)getpid()))
		return 0;
	return us * NUM_NS_PER_US;
}

void
outside_notify_init(struct outside_notify *notify)
{
	const char *name = getenv("NOTIFY_SOCKET");
	*notify = (struct outside_notify){.fd = -1};
	if (name != NULL && *name != '\0') {
		notify->fd = connect_to(name);
		if (notify->fd < 0)
			diag_warn("cannot notify systemd at NOTIFY_SOCKET=%s: %s", name,
				strerror(errno));
		else
			notify->watchdog_ns = watchdog_ns();
	}
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void
outside_notify_fini(struct outside_notify *notify)
{
	fd_close(notify->fd);
	notify->fd = -1;
}

/* Never wait for a service manager that does not read. */
static void
send_state(struct outside_notify *notify, const char *text)
{
	if (notify->fd >= 0)
		send(notify->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void
outside_notify_ready(struct outside_notify *notify)
{
	send_state(notify, "READY=1");
}

void
outside_notify_reloading(struct outside_notify *notify)
{
	char text[64];
	snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		clock_monotonic_ns() / NUM_NS_PER_US);
	send_state(notify, text);
}

void
outside_notify_stopping(struct outside_notify *notify)
{
	send_state(notify, "STOPPING=1");
}

void
outside_notify_status(struct outside_notify *notify, const char *text)
{
	char line[512];
	snprintf(line, sizeof line, "STATUS=%.504s", text);
	/* A second line would be read as another variable. */
	line[strcspn(line, "\n")] = '\0';
	send_state(notify, line);
}

void
outside_notify_watchdog(struct outside_notify *notify, uint64_t now_ns)
{
	if (notify->watchdog_ns == 0 ||
		(notify->watchdog_sent_ns != 0 &&
			now_ns - notify->watchdog_sent_ns < notify->watchdog_ns / WATCHDOG_MARGIN))
		return;
	notify->watchdog_sent_ns = now_ns;
	send_state(notify, "WATCHDOG=1");
}

/* Retry interval while the HTTP port is in use: the previous instance may still hold it. */
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

/* Start to listen. Print a failure only once. */
static void
open_http(struct outside *outside, uint64_t now_ns)
{
	const struct service_options *options = outside->options;
	const char *address = text_or_empty(options->metrics_address);
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
				"metrics: cannot listen on port %d%s%s: %s: retrying every %llu s",
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

/* Return true while scans are evaluated; only then is the watchdog pinged. */
static bool
makes_progress(const struct service_view *view)
{
	uint64_t since_ns = view->last_scan_ns != 0 ? view->last_scan_ns : view->started_ns;
	return view->now_ns < since_ns ||
	       view->now_ns - since_ns < watch_limit_ns(view->interval_ns, false);
}

static void
tell_heartbeat(struct outside *outside, const struct service_view *view)
{
	char line[HEALTH_HEARTBEAT_SIZE];
	if (!health_heartbeat_due(&outside->heartbeat, view))
		return;
	health_heartbeat_format(view, line, sizeof line);
	diag_note("%s", line);
	outside_notify_status(&outside->notify, line);
}

void
outside_poll(struct outside *outside)
{
	struct service_view view;
	outside->view(outside->context, &view);
	if (view.last_scan_ns != 0 && !outside->ready && !view.stopping) {
		outside->ready = true;
		outside_notify_ready(&outside->notify);
	}
	if (makes_progress(&view))
		outside_notify_watchdog(&outside->notify, view.now_ns);
	tell_heartbeat(outside, &view);
	if (outside->httpd == NULL && outside->options->metrics_port >= 0 &&
		view.now_ns >= outside->http_again_ns)
		open_http(outside, view.now_ns);
}

void
outside_reloading(struct outside *outside)
{
	/* Before the first scan the service was never reported as ready. */
	if (outside->ready)
		outside_notify_reloading(&outside->notify);
}

void
outside_reloaded(struct outside *outside)
{
	if (outside->ready)
		outside_notify_ready(&outside->notify);
}

void
outside_stopping(struct outside *outside)
{
	outside_notify_stopping(&outside->notify);
}

/* --- setup and teardown --- */

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
	outside_notify_init(&outside->notify);
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
	outside_notify_fini(&outside->notify);
}
