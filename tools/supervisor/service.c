/* service - the main loop: signals, stages, HTTP and the poll of everything once per interval.
 *
 * One thread with one epoll: pidfds for the ends of stages, a signalfd for signals, and the HTTP
 * server's descriptor. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "host.h"
#include "keeper.h"
#include "num.h"
#include "outside.h"
#include "pipeline.h"
#include "places.h"
#include "progress.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Limits of the poll interval, which is otherwise the scan interval. */
#define POLL_LEAST_NS (100 * NUM_NS_PER_MS)
#define POLL_MOST_NS NUM_NS_PER_S

/* epoll data: a stage's number, or one of these. */
enum { SOURCE_CHECK = KEEPER_CHECK, SOURCE_SIGNALS, SOURCE_HTTP, SOURCE_N };

struct service {
	struct keeper keeper;
	struct outside outside;
	const struct service_options *options;
	const char *node;
	int epoll_fd, signal_fd;
	uint64_t started_ns, poll_at_ns;
	bool has_places;         /* the stages' directories have been created */
	uint64_t last_scan_ns;   /* when the last scan was evaluated; 0: none yet */
	enum keeper_phase phase; /* that was reported to systemd */
};

/* --- signals --- */

static void
accept_signal(struct service *service)
{
	struct signalfd_siginfo info;
	struct keeper *keeper = &service->keeper;
	if (read(service->signal_fd, &info, sizeof info) != sizeof info)
		return;
	if (info.ssi_signo == SIGHUP) {
		if (keeper->phase == KEEPER_RUNNING)
			outside_reloading(&service->outside);
		keeper_reload(keeper);
		/* The reload was rejected at once. */
		if (keeper->phase == KEEPER_RUNNING)
			outside_reloaded(&service->outside);
	} else if (keeper->phase != KEEPER_STOPPING) {
		diag_note("SIG%s: stopping", sigabbrev_np((int)info.ssi_signo));
		keeper_stop(keeper, 0);
	} else if (keeper_hurry(keeper)) {
		diag_warn("SIG%s again: not waiting any longer", sigabbrev_np((int)info.ssi_signo));
	}
}

/* Report a change of the keeper's phase to systemd. */
static void
tell_phase(struct service *service)
{
	enum keeper_phase phase = service->keeper.phase;
	if (phase == service->phase)
		return;
	if (phase == KEEPER_STOPPING)
		outside_stopping(&service->outside);
	else if (phase == KEEPER_RUNNING)
		outside_reloaded(&service->outside);
	service->phase = phase;
}

/* --- polling --- */

/* Remember when the last scan was evaluated, since ctreval's page starts anew with ctreval. Ignore
 * a moment in the future: it is corrupt, and would make the service look healthy forever. */
static void
note_progress(struct service *service)
{
	const struct metrics_page *page = &service->keeper.stages.items[STAGE_CTREVAL].page;
	uint64_t at_ns = metrics_page_vital(page, METRICS_TICK_NS);
	if (metrics_page_vital(page, METRICS_TICKS) != 0 && at_ns > service->last_scan_ns &&
		at_ns <= clock_monotonic_ns())
		service->last_scan_ns = at_ns;
}

static enum stage_condition
condition_of(const struct service *service, const struct stage *stage)
{
	switch (stage->state) {
	case STAGE_ABSENT:
		return STAGE_UNWANTED;
	case STAGE_RUNNING:
		return STAGE_UP;
	case STAGE_WAITING:
		return STAGE_DOWN;
	case STAGE_ENDED:
		/* A stage that ended for a reload is about to start again. */
		return service->keeper.phase == KEEPER_RELOADING && stage->ending ? STAGE_UP
										  : STAGE_LOST;
	}
	return STAGE_LOST;
}

/* Add up the conditions of all stages, which are disjoint. */
static uint64_t
count_standing(const struct service_view *view, enum metrics_vital vital)
{
	uint64_t count = 0;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (view->stages[id].page != NULL)
			count += metrics_page_vital(view->stages[id].page, vital);
	}
	return count;
}

static void
fill_view(void *context, struct service_view *out)
{
	struct service *service = context;
	note_progress(service);
	*out = (struct service_view){
		.node = service->node,
		.now_ns = clock_monotonic_ns(),
		.started_ns = service->started_ns,
		.interval_ns = service->options->interval_ns,
		.stopping = service->keeper.phase == KEEPER_STOPPING,
		.last_scan_ns = service->last_scan_ns,
		.reloads = service->keeper.reloads,
		.refused_reloads = service->keeper.refused_reloads,
		.config_refused = service->keeper.config_refused,
	};
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct stage *stage = &service->keeper.stages.items[id];
		out->stages[id] = (struct stage_view){
			.condition = condition_of(service, stage),
			.reason = stage->reason,
			.restarts = stage->restarts,
			.stalls = stage->stalls,
			.page = stage->page.bytes != NULL ? &stage->page : NULL,
		};
	}
	for (enum metrics_vital vital = 0; vital < METRICS_VITAL_N; vital++)
		out->vitals[vital] = metrics_page_vital(
			&service->keeper.stages.items[STAGE_CTREVAL].page, vital);
	out->spool_hangs_since_ns = metrics_page_vital(
		&service->keeper.stages.items[STAGE_EMIT].page, METRICS_SPOOL_HANGS);
	out->standing_fatal = count_standing(out, METRICS_STANDING_FATAL);
	out->standing_degraded = count_standing(out, METRICS_STANDING_DEGRADED);
}

/* Create the stages' directories if the disk was full or read-only at the start: without them no
 * state would be kept until a restart. Do not look at them any more once they are there, because
 * their disk may hang later. */
static void
make_places(struct service *service)
{
	const struct service_options *options = service->options;
	bool has_state = places_make(options->state_path),
	     has_acks = places_make(options->acks_path);
	bool has_log = !pipeline_has_stage(STAGE_LOGMATCH, options) ||
		       places_make(options->log_state_path);
	bool has_patterns = !pipeline_has_stage(STAGE_CORRELATE, options) ||
			    places_make(options->pattern_state_path);
	service->has_places = has_state && has_acks && has_log && has_patterns;
}

static void
poll_all(struct service *service, uint64_t now_ns)
{
	if (!service->has_places)
		make_places(service);
	progress_watch(&service->keeper, now_ns);
	outside_poll(&service->outside);
	diag_catch_up();
	uint64_t wait_ns = service->options->interval_ns;
	if (wait_ns < POLL_LEAST_NS || service->last_scan_ns == 0)
		wait_ns = POLL_LEAST_NS;
	service->poll_at_ns = now_ns + (wait_ns < POLL_MOST_NS ? wait_ns : POLL_MOST_NS);
}

/* --- the loop --- */

/* Do what is due. Return when something is due next, CLOCK_MONOTONIC. */
static uint64_t
run_due(struct service *service)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (now_ns >= service->poll_at_ns)
		poll_all(service, now_ns);
	uint64_t next_ns = keeper_run_due(&service->keeper, now_ns);
	next_ns = clock_earlier(next_ns, service->poll_at_ns);
	return clock_earlier(next_ns, outside_wakes_at_ns(&service->outside, now_ns));
}

static void
loop(struct service *service)
{
	struct epoll_event events[SOURCE_N];

	while (!keeper_is_done(&service->keeper)) {
		int timeout_ms = clock_left_ms(run_due(service));
		int count = epoll_wait(service->epoll_fd, events, SOURCE_N, timeout_ms);
		/* After SIGSTOP and SIGCONT epoll_wait() fails with EINTR before it reports any
		 * end: poll everything before answering requests. */
		if (count < 0)
			continue;
		bool is_news = false;
		for (int i = 0; i < count; i++) {
			is_news |= events[i].data.u32 != SOURCE_HTTP;
			if (events[i].data.u32 == SOURCE_SIGNALS)
				accept_signal(service);
			else if (events[i].data.u32 == SOURCE_CHECK)
				keeper_accept_check(&service->keeper);
			else if (events[i].data.u32 < STAGE_N)
				keeper_accept_end(
					&service->keeper, (enum stage_id)events[i].data.u32);
		}
		tell_phase(service);
		/* While a message about this waited for stderr, other stages may have ended: poll
		 * again before answering requests. */
		if (!is_news)
			outside_run(&service->outside);
	}
}

/* --- setup and teardown --- */

int
service_hold_signals(void)
{
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	return sigprocmask(SIG_BLOCK, &signals, NULL);
}

/* Receive signals by a descriptor and block them from the start, so that none is lost between two
 * system calls. */
static int
open_signals(struct service *service)
{
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0)
		return -1;
	service->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (service->signal_fd < 0)
		return -1;
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = SOURCE_SIGNALS};
	return epoll_ctl(service->epoll_fd, EPOLL_CTL_ADD, service->signal_fd, &event);
}

/* Run the loop with the initialised keeper. Return the exit code. */
static int
run(struct service *service, const char *programs)
{
	int status = EXIT_OS;
	if (outside_init(&service->outside, service->options, service->epoll_fd, SOURCE_HTTP,
		    fill_view, service) < 0)
		diag_error("cannot set up metrics: %s", strerror(errno));
	else
		status = confined_enter(&service->keeper.confined, programs, service->options);
	if (status == 0) {
		loop(service);
		status = service->keeper.exit_code;
	}
	outside_fini(&service->outside);
	return status;
}

int
service_run(const char *programs, const struct service_options *options)
{
	struct service_options in_force = *options;
	struct service service = {
		.options = &in_force,
		.node = options->node_name != NULL ? options->node_name : host_node_name(),
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
		.signal_fd = -1,
		.started_ns = clock_monotonic_ns(),
	};
	int status = EXIT_OS;
	if (service.epoll_fd < 0 || open_signals(&service) < 0) {
		diag_error("cannot wait for events: %s", strerror(errno));
	} else {
		status = keeper_init(
			&service.keeper, programs, options, &in_force, service.epoll_fd);
		if (status == 0)
			status = run(&service, programs);
		keeper_fini(&service.keeper);
	}
	fd_close(service.signal_fd);
	fd_close(service.epoll_fd);
	return status;
}
