/* session - one run of fleetpage: events in, pages out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "../supervisor/httpd.h"
#include "clock.h"
#include "diag.h"
#include "num.h"
#include "pages.h"
#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* Reload interval of browsers while events may arrive. */
#define AGAIN_S 10

struct session {
	struct reading reading;
	struct httpd *httpd;
	struct strbuf page; /* last page sent */
	bool has_ended;     /* end of input was reached */
};

/* --- responses --- */

/* A recording is shown as of its newest event. */
static uint64_t
shown_us(const struct session *session)
{
	uint64_t newest_us = session->reading.board.newest_us;
	return session->has_ended && newest_us > 0 ? newest_us
						   : clock_realtime_ns() / NUM_NS_PER_US;
}

static void
answer(void *context, const char *path, struct httpd_answer *out)
{
	static const char no_memory[] = "out of memory\n";
	struct session *session = context;
	const struct pages pages = {.board = &session->reading.board,
		.topology = &session->reading.topology,
		.now_us = shown_us(session),
		.again_s = session->has_ended ? 0 : AGAIN_S};
	strbuf_clear(&session->page);
	*out = (struct httpd_answer){.status = pages_write(&pages, path, &session->page),
		.type = "text/html; charset=utf-8",
		.text = session->page.bytes,
		.length = session->page.length};
	if (session->page.is_short)
		*out = (struct httpd_answer){
			500, "text/plain; charset=utf-8", no_memory, sizeof no_memory - 1};
}

/* --- the run --- */

static bool
read_line(void *context, const char *text, size_t length)
{
	return reading_line(&((struct session *)context)->reading, text, length);
}

static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	return reading_accept(&((struct session *)context)->reading, intake, record);
}

static int
settle(void *context, uint64_t *patience_ns)
{
	struct session *session = context;
	httpd_run(session->httpd);
	reading_look(&session->reading);
	*patience_ns = clock_earlier(
		httpd_timeout_ns(session->httpd), layoutfiles_patience_ns(&session->reading.files));
	return 0;
}

/* Serve until a stop request. Return the exit code. */
static int
stay(struct session *session)
{
	struct pollfd fd = {.fd = httpd_fd(session->httpd), .events = POLLIN};
	uint64_t patience_ns;
	session->has_ended = true;
	while (!stop_requested()) {
		settle(session, &patience_ns);
		if (stop_poll(&fd, 1, patience_ns) < 0 && errno != EINTR)
			return diag_io_failure("poll");
	}
	return 0;
}

/* Return an exit code. */
static int
listen_at(struct session *session, const struct session_options *options)
{
	const struct httpd_plan plan = {.address = options->address,
		.port = options->port,
		.patience_ns = HTTPD_PATIENCE_NS,
		.waits_for_slow_clients = true,
		.answer = answer,
		.context = session};
	session->httpd = httpd_new(&plan);
	if (session->httpd == NULL) {
		diag_error("cannot listen on port %u%s%s: %s", options->port,
			*options->address != '\0' ? " of " : "", options->address, strerror(errno));
		return errno == EINVAL ? EXIT_USAGE : EXIT_UNAVAILABLE;
	}
	diag_note("listening on http://%s/", httpd_where(session->httpd));
	return 0;
}

int
session_run(const struct session_options *options)
{
	struct session session = {.reading.files = options->files};
	struct filter filter = {.read = read_line,
		.accept = accept_record,
		.settle = settle,
		.output_name = "pages"};
	int status = stop_catch() < 0 ? diag_io_failure("signals") : 0;
	/* A browser that disconnects must not end the process. */
	signal(SIGPIPE, SIG_IGN);
	if (status == 0)
		status = reading_begin(&session.reading);
	if (status == 0)
		status = listen_at(&session, options);
	if (status == 0) {
		filter.also_fd = httpd_fd(session.httpd);
		status = filter_run(&filter, &session);
	}
	if (status == 0 && options->stays)
		status = stay(&session);
	httpd_free(session.httpd);
	strbuf_fini(&session.page);
	reading_fini(&session.reading);
	return status;
}
