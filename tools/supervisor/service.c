/* service - the loop: what happens to the stages, and what is done about it.
 *
 * One thread, one epoll: ends of stages by pidfd, signals by signalfd, and a look at everything once per interval. */
#include "service.h"

#include "clock.h"
#include "confcopy.h"
#include "diag.h"
#include "host.h"
#include "notify.h"
#include "num.h"
#include "proc.h"
#include "stages.h"
#include "view.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* How long the stages have to drain the pipes once they are asked to end. */
#define DRAIN_NS (5 * NUM_NS_PER_S)

/* How long a killed stage may take to be gone. */
#define KILLED_NS NUM_NS_PER_S

/* Signals within this time are one request to stop. */
#define ONE_REQUEST_NS (NUM_NS_PER_S / 2)

/* How often everything is looked at: once per interval, within these. */
#define LOOK_LEAST_NS (100 * NUM_NS_PER_MS)
#define LOOK_MOST_NS NUM_NS_PER_S

/* A stage's number in epoll's data; the others come behind. */
enum { SOURCE_SIGNALS = STAGE_N, SOURCE_N };

/* What the service is in the middle of. */
enum phase {
	PHASE_RUNNING,
	PHASE_RELOADING, /* the stages that read the configuration end, to be started with the new one */
	PHASE_STOPPING,
};

struct service {
	struct stages stages;
	const struct service_options *options;
	const char *node;
	int epoll_fd, signal_fd, config_fd;
	struct notify notify;
	uint64_t interval_ns, started_ns, look_at_ns;
	enum phase phase;
	bool ready;            /* a first scan was evaluated */
	uint64_t evaluated;    /* ctreval's ticks at the last look */
	uint64_t evaluated_ns; /* when they had changed, or we started */
	bool writes_stdout;    /* one of the sinks is our stdout */
	bool killed;           /* those who did not end in time */
	bool reload_again;     /* another SIGHUP came while one was being dealt with */
	uint64_t deadline_ns;  /* of ending; once killed, of waiting for the stages to be gone */
	uint64_t reloads, refused_reloads;
	bool config_refused;
	int exit_code;
};

/* --- ending --- */

static stage_set
ending_set(const struct service *service)
{
	return service->phase == PHASE_RELOADING ? STAGES_CONFIGURED : STAGES_ALL;
}

static void
begin_ending(struct service *service, enum phase phase)
{
	service->phase = phase;
	service->killed = false;
	service->deadline_ns = clock_monotonic_ns() + DRAIN_NS;
	stages_end(&service->stages, ending_set(service));
}

static void
stop(struct service *service, int exit_code)
{
	service->exit_code = exit_code;
	notify_stopping(&service->notify);
	begin_ending(service, PHASE_STOPPING);
}

/* What a stage takes with it that does not end in order is written again by the next one, if both sides of the pipe remember. */
static bool
is_durable(const struct service_options *options)
{
	return options->spool_path != NULL && options->state_path != NULL;
}

/* True for an end at the end. A source that has just been started may not have come to catching the signal that asks it to stop; and who still writes when nobody is left to
 * read is told so by SIGPIPE. */
static bool
is_orderly(const struct stage_plan *plan, const siginfo_t *info)
{
	if (info->si_code == CLD_EXITED)
		return info->si_status == 0;
	if (info->si_code != CLD_KILLED)
		return false;
	return info->si_status == SIGPIPE || (plan->in == PIPE_NONE && info->si_status == SIGTERM);
}

/* A stage that was asked to has ended. */
static void
note_end(struct service *service, enum stage_id id, const siginfo_t *info)
{
	const struct stage_plan *plan = &pipeline_plan[id];
	if (is_orderly(plan, info))
		return;
	diag_warn("stage %s: %s while %s", plan->program, service->stages.items[id].reason,
		service->phase == PHASE_STOPPING ? "stopping" : "the configuration is reloaded");
	/* emit says itself what it could not deliver, and ends with 0 when that is in the spool. */
	if (service->phase == PHASE_STOPPING && service->exit_code == 0 && id == STAGE_EMIT &&
		info->si_code == CLD_EXITED)
		service->exit_code = info->si_status;
	else if (service->phase == PHASE_STOPPING && service->exit_code == 0 &&
		 !is_durable(service->options))
		service->exit_code = EXIT_UNAVAILABLE;
}

/* True when our stdout is a pipe or socket that nobody reads any more, as behind `| head`. */
static bool
stdout_is_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};
	return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

/* It has ended, and may do better the next time. */
static void
start_again(struct service *service, enum stage_id id)
{
	struct stage *stage = &service->stages.items[id];
	uint64_t delay_ns =
		restart_delay_ns(&stage->restart, clock_monotonic_ns() - stage->started_ns);
	diag_warn("stage %s: %s: starting it again in %llu s", pipeline_plan[id].program,
		stage->reason, (unsigned long long)(delay_ns / NUM_NS_PER_S));
	stage->restarts++;
	stages_start_in(&service->stages, id, delay_ns);
}

/* What to do about a stage that ended by itself, or was killed by somebody. */
static void
judge_end(struct service *service, enum stage_id id, const siginfo_t *info)
{
	struct stage *stage = &service->stages.items[id];
	const struct stage_plan *plan = &pipeline_plan[id];

	if (proc_end_is_permanent(info) && plan->optional) {
		diag_error("stage %s: %s: going on without it", plan->program, stage->reason);
		return;
	}
	if (proc_end_is_permanent(info)) {
		diag_error("stage %s: %s: starting it again would not help: stopping",
			plan->program, stage->reason);
		stop(service, info->si_status);
		return;
	}
	if (plan->out == PIPE_NONE && service->writes_stdout && info->si_code == CLD_EXITED &&
		info->si_status == EXIT_IO && stdout_is_gone()) {
		diag_error("stage %s: %s: nobody reads stdout any more: stopping", plan->program,
			stage->reason);
		stop(service, EXIT_IO);
		return;
	}
	start_again(service, id);
}

static void
take_end(struct service *service, enum stage_id id)
{
	siginfo_t info;
	if (!stages_take_end(&service->stages, id, &info))
		return;
	if (service->stages.items[id].ending)
		note_end(service, id, &info);
	else
		judge_end(service, id, &info);
	stages_close_finished(&service->stages);
}

/* A stage that was killed, and hangs in the kernel: another one takes its place, where one is wanted. */
static void
leave_behind(struct service *service, enum stage_id id)
{
	struct stage *stage = &service->stages.items[id];
	diag_warn("stage %s: pid %d hangs in the kernel: left behind", pipeline_plan[id].program,
		(int)stage->pid);
	stages_leave_behind(&service->stages, id);
	if (!stage->ending)
		start_again(service, id);
	stages_close_finished(&service->stages);
}

/* The stages have had their time: they are killed; and those that even so are not gone, because they hang in the kernel, are
 * left to it. */
static void
enforce_deadline(struct service *service, uint64_t now_ns)
{
	if (!service->killed) {
		diag_warn("the stages have not ended within %llu s: killing them",
			(unsigned long long)(DRAIN_NS / NUM_NS_PER_S));
		stages_kill(&service->stages, ending_set(service));
	}
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		struct stage *stage = &service->stages.items[id];
		if (!stage->ending)
			continue;
		if (stage->state == STAGE_WAITING)
			stage->state = STAGE_ENDED;
		if (stage->state == STAGE_RUNNING && service->killed)
			leave_behind(service, id);
	}
	service->killed = true;
	service->deadline_ns = now_ns + KILLED_NS;
}

/* --- the configuration --- */

/* Nothing is touched before the new configuration is known to be good. */
static void
reload(struct service *service)
{
	int fd;
	notify_reloading(&service->notify);
	if (confcopy_make(service->options->config_path, &fd) != 0) {
		diag_error("SIGHUP: the configuration is not good: going on with the one in force");
		service->refused_reloads++;
		service->config_refused = true;
		notify_ready(&service->notify);
		return;
	}
	close(service->config_fd);
	service->config_fd = service->stages.config_fd = fd;
	service->config_refused = false;
	service->reloads++;
	diag_note(
		"SIGHUP: configuration reloaded: restarting ibscan, logmatch, topoclass, ctreval");
	begin_ending(service, PHASE_RELOADING);
}

/* The old stages are gone: the new ones begin. */
static void
finish_reload(struct service *service)
{
	service->phase = PHASE_RUNNING;
	if (stages_begin(&service->stages, STAGES_CONFIGURED) < 0) {
		diag_error("cannot set up the pipeline: %s", strerror(errno));
		stop(service, EXIT_OS);
		return;
	}
	notify_ready(&service->notify);
	if (service->reload_again) {
		service->reload_again = false;
		reload(service);
	}
}

/* --- signals --- */

static void
take_signal(struct service *service)
{
	struct signalfd_siginfo info;
	if (read(service->signal_fd, &info, sizeof info) != sizeof info)
		return;
	if (info.ssi_signo == SIGHUP) {
		if (service->phase == PHASE_RELOADING)
			service->reload_again = true;
		if (service->phase == PHASE_RUNNING)
			reload(service);
		return;
	}
	bool stopping = service->phase == PHASE_STOPPING;
	/* timeout(1) and some init systems signal a process and then its group: that is one request. */
	if (stopping && !service->killed &&
		clock_monotonic_ns() + DRAIN_NS < service->deadline_ns + ONE_REQUEST_NS)
		return;
	if (stopping) {
		diag_warn("SIG%s again: not waiting any longer", sigabbrev_np((int)info.ssi_signo));
		service->deadline_ns = clock_monotonic_ns() + KILLED_NS;
		service->killed = true;
		stages_kill(&service->stages, STAGES_ALL);
		return;
	}
	diag_note("SIG%s: stopping", sigabbrev_np((int)info.ssi_signo));
	stop(service, 0);
}

/* --- looking --- */

/* A stage that runs and does not get on is killed: what follows is the same as for one that died. */
static void
watch_stage(struct service *service, enum stage_id id, uint64_t now_ns)
{
	struct stage *stage = &service->stages.items[id];
	struct watch_look look;
	if (stage->state != STAGE_RUNNING || stage->ending)
		return;
	if (stage->given_up_at_ns != 0) {
		if (now_ns >= stage->given_up_at_ns)
			leave_behind(service, id);
		return;
	}
	stages_look(&service->stages, id, now_ns, &look);
	uint64_t idle_ns = watch_step(
		&stage->watch, &look, watch_limit_ns(service->interval_ns, id == STAGE_LOGMATCH));
	if (idle_ns == 0)
		return;
	diag_warn("stage %s: has not got on for %llu s: killing it", pipeline_plan[id].program,
		(unsigned long long)(idle_ns / NUM_NS_PER_S));
	stage->stalls++;
	stage->given_up_at_ns = now_ns + KILLED_NS;
	stages_kill(&service->stages, STAGE_BIT(id));
}

/* As long as scans are evaluated, systemd is told that all is well. */
static void
note_progress(struct service *service, uint64_t now_ns)
{
	const struct metrics_page *page = &service->stages.items[STAGE_CTREVAL].page;
	uint64_t evaluated = metrics_page_vital(page, METRICS_TICKS);
	if (evaluated != service->evaluated && evaluated != 0)
		service->evaluated_ns = now_ns;
	service->evaluated = evaluated;
	if (evaluated != 0 && !service->ready) {
		service->ready = true;
		notify_ready(&service->notify);
	}
	if (now_ns - service->evaluated_ns < watch_limit_ns(service->interval_ns, false))
		notify_watchdog(&service->notify, now_ns);
}

static void
look_at_all(struct service *service, uint64_t now_ns)
{
	stages_reap(&service->stages);
	for (enum stage_id id = 0; id < STAGE_N; id++)
		watch_stage(service, id, now_ns);
	if (service->phase != PHASE_STOPPING)
		note_progress(service, now_ns);
	uint64_t wait_ns = service->interval_ns;
	if (wait_ns < LOOK_LEAST_NS || !service->ready)
		wait_ns = LOOK_LEAST_NS;
	service->look_at_ns = now_ns + (wait_ns < LOOK_MOST_NS ? wait_ns : LOOK_MOST_NS);
}

/* --- the loop --- */

/* Does what is due. Returns when something is due next, CLOCK_MONOTONIC. */
static uint64_t
keep_time(struct service *service)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (service->phase != PHASE_RUNNING && now_ns >= service->deadline_ns)
		enforce_deadline(service, now_ns);
	if (service->phase == PHASE_RELOADING &&
		!stages_any_alive(&service->stages, STAGES_CONFIGURED))
		finish_reload(service);
	if (now_ns >= service->look_at_ns)
		look_at_all(service, now_ns);
	uint64_t next_ns = stages_start_due(&service->stages, now_ns);
	if (service->look_at_ns < next_ns)
		next_ns = service->look_at_ns;
	if (service->phase != PHASE_RUNNING && service->deadline_ns < next_ns)
		next_ns = service->deadline_ns;
	return next_ns;
}

/* How long to wait until then, in milliseconds. */
static int
wait_ms(uint64_t until_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (until_ns <= now_ns)
		return 0;
	uint64_t ms = (until_ns - now_ns + NUM_NS_PER_MS - 1) / NUM_NS_PER_MS;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

static void
loop(struct service *service)
{
	struct epoll_event events[SOURCE_N];

	/* A reload has a moment at which nothing but emit runs. */
	while (service->phase != PHASE_STOPPING || stages_any_alive(&service->stages, STAGES_ALL)) {
		int timeout_ms = wait_ms(keep_time(service));
		int count = epoll_wait(service->epoll_fd, events, SOURCE_N, timeout_ms);
		for (int i = 0; i < count; i++) {
			if (events[i].data.u32 == SOURCE_SIGNALS)
				take_signal(service);
			else
				take_end(service, (enum stage_id)events[i].data.u32);
		}
	}
}

/* --- beginning and end --- */

/* Signals arrive through a descriptor from the first moment on: none is lost between two system calls. */
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

/* True when events are written to our stdout: of emit's words about sinks each second is a value. */
static bool
writes_stdout(const struct service_options *options)
{
	bool found = options->sink_word_count == 0;
	for (size_t i = 1; i < options->sink_word_count; i += 2)
		found |= strcmp(options->sink_words[i], "-") == 0;
	return found;
}

static int
open_all(struct service *service, const char *programs)
{
	service->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (service->epoll_fd < 0 || open_signals(service) < 0)
		return -1;
	if (stages_init(&service->stages, programs, service->options, service->epoll_fd) < 0)
		return -1;
	service->stages.config_fd = service->config_fd;
	return 0;
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

int
service_run(const char *programs, const struct service_options *options)
{
	struct service service = {
		.options = options,
		.node = options->node_name != NULL ? options->node_name : host_node_name(),
		.epoll_fd = -1,
		.signal_fd = -1,
		.config_fd = -1,
		.writes_stdout = writes_stdout(options),
		.started_ns = clock_monotonic_ns(),
	};
	service.evaluated_ns = service.started_ns;
	if (num_parse_duration(options->interval, UINT64_MAX, &service.interval_ns) != NUM_OK) {
		diag_error(
			"--interval '%s': not a duration such as 500ms or 1s", options->interval);
		return EXIT_USAGE;
	}
	int status = confcopy_make(options->config_path, &service.config_fd);
	if (status != 0)
		return status;
	notify_init(&service.notify);
	if (open_all(&service, programs) < 0) {
		diag_error("cannot set up the pipeline: %s", strerror(errno));
		service.exit_code = EXIT_OS;
	} else {
		loop(&service);
	}
	stages_fini(&service.stages);
	notify_fini(&service.notify);
	close_fd(service.config_fd);
	close_fd(service.signal_fd);
	close_fd(service.epoll_fd);
	return service.exit_code;
}
