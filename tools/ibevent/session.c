/* session - one run: opens the available sources (spec#event-sources) and reads them in one loop
 * until they end. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "array.h"
#include "diag.h"
#include "eventmetrics.h"
#include "link.h"
#include "num.h"
#include "stop.h"
#include "sysfs.h"
#include "trace.h"
#include "uevent.h"
#include "verbs.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Indices of the pollfds: stdout, the sources with one descriptor, then those of verbs. */
enum { FD_OUTPUT, FD_LINK, FD_UEVENT, FD_TRACE, FD_VERBS };

static_assert(FD_VERBS + 1 + VERBS_MAX <= STOP_POLL_MAX, "all can be polled");

/* Longest wait with --metrics-fd: metrics_tick() must show that the loop runs, even without
 * events. */
#define TICK_NS (5 * NUM_NS_PER_S)

struct session {
	const struct session_options *options;
	struct output output;
	struct devicelook look;
	struct link link;
	struct uevent uevent;
	struct trace trace;
	struct verbs verbs;
	bool has_refused; /* a source could not be opened for lack of permission */
	bool has_failed;  /* an open source failed */
};

/* --- opening --- */

static void
miss(struct session *session, enum via via, const char *reason)
{
	session->has_refused |= errno == EACCES || errno == EPERM;
	/* A node without RDMA has no /dev/infiniband: warn only if --sources asks for verbs. */
	if (via == VIA_VERBS && errno == ENOENT && !session->options->is_chosen)
		diag_info("%s: not read: %s", via_names[via], reason);
	else
		diag_warn("%s: not read: %s", via_names[via], reason);
}

static void
open_sources(struct session *session)
{
	const struct session_options *options = session->options;
	struct output *output = &session->output;
	session->link.fd = session->uevent.fd = session->trace.fd = -1;
	if (options->wanted[VIA_UEVENT] &&
		uevent_open(&session->uevent, &session->look, &session->verbs, output) < 0)
		miss(session, VIA_UEVENT, strerror(errno));
	if (options->wanted[VIA_LINK] && link_open(&session->link, &session->look, output) < 0)
		miss(session, VIA_LINK, strerror(errno));
	if (options->wanted[VIA_TRACE] && trace_open(&session->trace, options->trace_path,
						  &session->look, &session->verbs, output) < 0)
		miss(session, VIA_TRACE, strerror(errno));
}

/* Call this after confine_enter(): it starts threads. */
static void
open_verbs(struct session *session)
{
	const struct session_options *options = session->options;
	if (!options->wanted[VIA_VERBS])
		return;
	if (session->uevent.fd < 0)
		miss(session, VIA_VERBS, "without uevents, an open device could not be removed");
	else if (verbs_begin(&session->verbs, session->look.root, options->any_driver,
			 &session->output) < 0)
		miss(session, VIA_VERBS, strerror(errno));
}

static bool
is_open(const struct session *session)
{
	return session->link.fd >= 0 || session->uevent.fd >= 0 || session->trace.fd >= 0;
}

/* Return whether a regular file is the only source: it can wait for a slow reader. */
static bool
reads_file(const struct session *session)
{
	struct stat status;
	return session->link.fd < 0 && session->uevent.fd < 0 &&
	       fstat(session->trace.fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* libibverbs loads a library for each kind of device, and searches /sys regardless of
 * --sysfs-root. */
static int
give_up(const struct session_options *options)
{
	static const char *const read[] = {
		"/sys", "/etc/libibverbs.d", "/lib", "/usr/lib", "/usr/lib64"};
	struct confine confine;
	confine_init(&confine, "ibevent", options->confine);
	confine_allow(&confine, options->sysfs_root, LANDLOCK_READ);
	confine_allow(&confine, options->trace_path, LANDLOCK_READ);
	if (options->wanted[VIA_VERBS]) {
		for (size_t i = 0; i < ARRAY_COUNT(read); i++)
			confine_allow(&confine, read[i], LANDLOCK_READ);
		confine_allow(&confine, "/dev/infiniband", LANDLOCK_DEVICE);
	}
	return confine_enter(&confine);
}

/* --- the loop --- */

static void
fail(struct session *session, enum via via)
{
	diag_warn("%s: stopped reading: %s", via_names[via], strerror(errno));
	session->has_failed = true;
}

static void
read_trace(struct session *session)
{
	struct trace *trace = &session->trace;
	int status = trace_read(trace);
	if (status == 0)
		return;
	/* If the trace is the only source, its end is the end of the run. */
	bool goes_on = session->link.fd >= 0 || session->uevent.fd >= 0;
	if (status > 0 && goes_on && trace_reopen(trace) == 0) {
		diag_info("trace: %s has ended: waiting for the next writer", trace->path);
		return;
	}
	if (status > 0)
		diag_info("trace: %s has ended", trace->path);
	else
		fail(session, VIA_TRACE);
	trace_close(trace);
}

static void
read_sources(struct session *session, const struct pollfd *fds)
{
	if (fds[FD_UEVENT].revents != 0 && uevent_read(&session->uevent) < 0) {
		fail(session, VIA_UEVENT);
		uevent_close(&session->uevent);
		verbs_end(&session->verbs);
	}
	if (fds[FD_LINK].revents != 0 && link_read(&session->link) < 0) {
		fail(session, VIA_LINK);
		link_close(&session->link);
	}
	if (fds[FD_TRACE].revents != 0)
		read_trace(session);
}

static void
wait_and_read(struct session *session)
{
	struct pollfd fds[STOP_POLL_MAX] = {
		[FD_OUTPUT] = output_pollfd(&session->output),
		[FD_LINK] = {.fd = session->link.fd, .events = POLLIN},
		[FD_UEVENT] = {.fd = session->uevent.fd, .events = POLLIN},
		[FD_TRACE] = {.fd = session->trace.fd, .events = POLLIN},
	};
	size_t count = FD_VERBS + verbs_pollfds(&session->verbs, fds + FD_VERBS);
	uint64_t patience_ns = clock_earlier(
		output_patience_ns(&session->output), verbs_patience_ns(&session->verbs));
	if (session->options->metrics != NULL)
		patience_ns = clock_earlier(patience_ns, TICK_NS);
	int ready = stop_poll(fds, count, patience_ns);
	if (ready < 0 && errno != EINTR)
		session->output.error = errno;
	if (ready <= 0)
		return;
	output_accept_poll(&session->output, fds[FD_OUTPUT].revents);
	/* Read verbs first: uevents may change the devices, and `fds` must match them. */
	verbs_read(&session->verbs, fds + FD_VERBS);
	read_sources(session, fds);
}

/* Return the exit code. */
static int
read_all(struct session *session)
{
	struct output *output = &session->output;
	while (!stop_requested() && output->error == 0 && is_open(session)) {
		wait_and_read(session);
		verbs_expire(&session->verbs);
		output_expire(output, false);
		metrics_tick(session->options->metrics);
		diag_catch_up();
	}
	output_expire(output, true);
	/* The service stops all stages at once, and the reader may exit first. */
	if (output->error == EPIPE && stop_requested())
		return 0;
	errno = output->error;
	if (output->error != 0)
		return diag_io_failure("stdout");
	if (stop_requested() || is_open(session) || !session->has_failed)
		return 0;
	diag_error("all sources have ended or failed");
	return EXIT_IO;
}

static int
run(struct session *session)
{
	open_sources(session);
	if (!is_open(session)) {
		diag_error("no source can be read");
		return session->has_refused ? EXIT_NO_PERMISSION : EXIT_UNAVAILABLE;
	}
	session->output.waits = reads_file(session);
	int status = give_up(session->options);
	if (status != 0)
		return status;
	open_verbs(session);
	return read_all(session);
}

int
session_run(const struct session_options *options)
{
	/* Static because it is large. */
	static struct session session;
	session = (struct session){.options = options,
		.output = {.node = options->node,
			.metrics = options->metrics,
			.ingero_names = options->ingero_names}};
	eventmetrics_init(options->metrics, options->wanted);
	session.look.root = sysfs_open_root(options->sysfs_root);
	if (session.look.root < 0)
		return diag_open_failure(options->sysfs_root);
	int status = run(&session);
	verbs_end(&session.verbs);
	uevent_close(&session.uevent);
	link_close(&session.link);
	trace_close(&session.trace);
	close(session.look.root);
	return status;
}
