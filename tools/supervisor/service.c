/* service - the stages kept running: pipes held open, deaths noticed, starts repeated, and an orderly end.
 *
 * Both ends of every pipe stay open here, so a stage that dies is replaced without its neighbours noticing: what is in
 * the pipe waits. The price is that end-of-file is ours to send: at the end, a pipe is closed when everybody who writes
 * to it has ended, from the source down. */
#include "service.h"

#include "clock.h"
#include "diag.h"
#include "num.h"
#include "proc.h"
#include "restart.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long the stages have to drain the pipes once they are asked to end. */
#define DRAIN_NS (5 * NUM_NS_PER_S)

/* How long a killed stage may take to be gone. */
#define KILLED_NS NUM_NS_PER_S

/* Signals within this time are one request to stop. */
#define ONE_REQUEST_NS (NUM_NS_PER_S / 2)

/* A stage's index in epoll's data; the signals come after the stages. */
#define SIGNALS STAGE_N

enum stage_state {
	STAGE_ABSENT, /* there is no such program */
	STAGE_RUNNING,
	STAGE_WAITING, /* to be started at start_at_ns */
	STAGE_ENDED,   /* and not to be started again */
};

struct stage {
	enum stage_state state;
	char path[PATH_MAX];
	char **argv;
	pid_t pid;
	int pidfd;
	uint64_t started_ns, start_at_ns;
	struct restart restart;
};

struct service {
	struct stage stages[STAGE_N];
	int pipes[PIPE_N][2]; /* -1: closed */
	int null_fd, epoll_fd, signal_fd;
	bool writes_stdout; /* one of the sinks is our stdout */
	bool draining, killed;
	uint64_t
		deadline_ns; /* of the draining; once killed, of waiting for the stages to be gone */
	int exit_code;
};

/* --- stages --- */

/* True for a stage that runs, or will. */
static bool
is_alive(const struct stage *stage)
{
	return stage->state == STAGE_RUNNING || stage->state == STAGE_WAITING;
}

static void
start(struct service *service, enum stage_id id)
{
	struct stage *stage = &service->stages[id];
	const struct stage_plan *plan = &pipeline_plan[id];
	const struct proc_command command = {
		.path = stage->path,
		.argv = stage->argv,
		.in = plan->in == PIPE_NONE ? service->null_fd : service->pipes[plan->in][0],
		.out = plan->out == PIPE_NONE ? STDOUT_FILENO : service->pipes[plan->out][1],
	};

	stage->started_ns = clock_monotonic_ns();
	stage->pid = proc_spawn(&command, &stage->pidfd);
	if (stage->pid < 0) {
		diag_error("stage %s: cannot be started: %s", plan->program, strerror(errno));
		stage->start_at_ns = stage->started_ns + restart_delay_ns(&stage->restart, 0);
		stage->state = STAGE_WAITING;
		return;
	}
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = id};
	epoll_ctl(service->epoll_fd, EPOLL_CTL_ADD, stage->pidfd, &event);
	stage->state = STAGE_RUNNING;
	diag_info("stage %s: started, pid %d", plan->program, (int)stage->pid);
}

static void
signal_stage(const struct stage *stage, int signal_number)
{
	/* Not yet waited for, so the pid is still its own. */
	if (stage->state == STAGE_RUNNING)
		kill(stage->pid, signal_number);
}

static void
close_end(struct service *service, enum pipe_id pipe, int end)
{
	if (service->pipes[pipe][end] >= 0)
		close(service->pipes[pipe][end]);
	service->pipes[pipe][end] = -1;
}

/* True when there is somebody behind a pipe. */
static bool
is_read(const struct service *service, enum pipe_id pipe)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (pipeline_plan[id].in == pipe)
			return is_alive(&service->stages[id]);
	}
	return false;
}

/* At the end: closes the pipes that nobody will write to any more, so that their readers see the end once they have read
 * the rest; and those that nobody will read from any more, so that their writers do not wait for ever. */
static void
close_finished_pipes(struct service *service)
{
	for (enum pipe_id pipe = 0; pipe < PIPE_N; pipe++) {
		bool has_writer = false;
		for (enum stage_id id = 0; id < STAGE_N; id++)
			has_writer |=
				pipeline_plan[id].out == pipe && is_alive(&service->stages[id]);
		if (!has_writer)
			close_end(service, pipe, 1);
		if (!has_writer || !is_read(service, pipe))
			close_end(service, pipe, 0);
	}
}

/* Begins the end: the sources are asked to stop, and whoever was to be started later is started now if there may be
 * something in its pipe. */
static void
drain(struct service *service, int exit_code)
{
	service->draining = true;
	service->exit_code = exit_code;
	service->deadline_ns = clock_monotonic_ns() + DRAIN_NS;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		struct stage *stage = &service->stages[id];
		bool is_source = pipeline_plan[id].in == PIPE_NONE;

		if (is_source)
			signal_stage(stage, SIGTERM);
		if (stage->state != STAGE_WAITING)
			continue;
		if (is_source)
			stage->state = STAGE_ENDED;
		else
			start(service, id);
	}
	close_finished_pipes(service);
}

/* True when our stdout is a pipe or socket that nobody reads any more, as behind `| head`. */
static bool
stdout_is_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};
	return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

/* What to do about a stage that ended by itself, or was killed by somebody. */
static void
judge_end(struct service *service, enum stage_id id, const siginfo_t *info, uint64_t uptime_ns)
{
	struct stage *stage = &service->stages[id];
	const struct stage_plan *plan = &pipeline_plan[id];
	char end[64];
	proc_describe_end(info, end, sizeof end);

	if (proc_end_is_permanent(info) && plan->optional) {
		diag_error("stage %s: %s: going on without it", plan->program, end);
		stage->state = STAGE_ENDED;
		return;
	}
	if (proc_end_is_permanent(info)) {
		diag_error("stage %s: %s: starting it again would not help: stopping",
			plan->program, end);
		stage->state = STAGE_ENDED;
		drain(service, info->si_status);
		return;
	}
	if (plan->out == PIPE_NONE && service->writes_stdout && info->si_code == CLD_EXITED &&
		info->si_status == EXIT_IO && stdout_is_gone()) {
		diag_error(
			"stage %s: %s: nobody reads stdout any more: stopping", plan->program, end);
		stage->state = STAGE_ENDED;
		drain(service, EXIT_IO);
		return;
	}
	uint64_t delay_ns = restart_delay_ns(&stage->restart, uptime_ns);
	diag_warn("stage %s: %s: starting it again in %llu s", plan->program, end,
		(unsigned long long)(delay_ns / NUM_NS_PER_S));
	stage->start_at_ns = clock_monotonic_ns() + delay_ns;
	stage->state = STAGE_WAITING;
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

static void
take_end(struct service *service, enum stage_id id)
{
	struct stage *stage = &service->stages[id];
	siginfo_t info = {0};

	if (waitid(P_PIDFD, (id_t)stage->pidfd, &info, WEXITED | WNOHANG) < 0 || info.si_pid == 0)
		return;
	close(stage->pidfd);
	stage->pidfd = -1;
	if (!service->draining) {
		judge_end(service, id, &info, clock_monotonic_ns() - stage->started_ns);
		return;
	}
	stage->state = STAGE_ENDED;
	if (!is_orderly(&pipeline_plan[id], &info)) {
		char end[64];
		diag_warn("stage %s: %s while stopping", pipeline_plan[id].program,
			proc_describe_end(&info, end, sizeof end));
	}
	close_finished_pipes(service);
}

/* --- signals --- */

static void
kill_all(struct service *service)
{
	for (enum stage_id id = 0; id < STAGE_N; id++)
		signal_stage(&service->stages[id], SIGKILL);
}

static void
take_signal(struct service *service)
{
	struct signalfd_siginfo info;
	if (read(service->signal_fd, &info, sizeof info) != sizeof info)
		return;
	/* timeout(1) and some init systems signal a process and then its group: that is one request. */
	if (service->draining && !service->killed &&
		clock_monotonic_ns() + DRAIN_NS < service->deadline_ns + ONE_REQUEST_NS)
		return;
	if (service->draining) {
		diag_warn("SIG%s again: not waiting any longer", sigabbrev_np((int)info.ssi_signo));
		service->deadline_ns = clock_monotonic_ns() + KILLED_NS;
		service->killed = true;
		kill_all(service);
		return;
	}
	diag_note("SIG%s: stopping", sigabbrev_np((int)info.ssi_signo));
	drain(service, 0);
}

/* --- the loop --- */

static bool
any_alive(const struct service *service)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (is_alive(&service->stages[id]))
			return true;
	}
	return false;
}

/* The stages have had their time: they are killed; and those that even so are not gone, because they hang in the kernel, are
 * left to it. */
static void
enforce_deadline(struct service *service, uint64_t now_ns)
{
	if (!service->killed) {
		diag_warn("the stages have not ended within %llu s: killing them",
			(unsigned long long)(DRAIN_NS / NUM_NS_PER_S));
		kill_all(service);
	}
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		struct stage *stage = &service->stages[id];
		if (stage->state == STAGE_WAITING)
			stage->state = STAGE_ENDED;
		if (stage->state != STAGE_RUNNING || !service->killed)
			continue;
		diag_warn("stage %s: pid %d hangs in the kernel: left behind",
			pipeline_plan[id].program, (int)stage->pid);
		stage->state = STAGE_ENDED;
	}
	service->killed = true;
	service->deadline_ns = now_ns + KILLED_NS;
}

/* Starts what is due, kills what is overdue. Returns how long to wait for something to happen, in milliseconds. */
static int
keep_time(struct service *service)
{
	uint64_t now_ns = clock_monotonic_ns(), next_ns = UINT64_MAX;

	if (service->draining && now_ns >= service->deadline_ns)
		enforce_deadline(service, now_ns);
	if (service->draining)
		next_ns = service->deadline_ns;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		struct stage *stage = &service->stages[id];
		if (stage->state == STAGE_WAITING && now_ns >= stage->start_at_ns)
			start(service, id);
		if (stage->state == STAGE_WAITING && stage->start_at_ns < next_ns)
			next_ns = stage->start_at_ns;
	}
	if (next_ns == UINT64_MAX)
		return -1;
	return next_ns <= now_ns ? 0
				 : (int)((next_ns - now_ns + NUM_NS_PER_MS - 1) / NUM_NS_PER_MS);
}

static void
loop(struct service *service)
{
	struct epoll_event events[STAGE_N + 1];

	while (any_alive(service)) {
		int timeout_ms = keep_time(service);
		int count = epoll_wait(service->epoll_fd, events, STAGE_N + 1, timeout_ms);
		for (int i = 0; i < count; i++) {
			if (events[i].data.u32 == SIGNALS)
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
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = SIGNALS};
	return epoll_ctl(service->epoll_fd, EPOLL_CTL_ADD, service->signal_fd, &event);
}

static int
open_all(struct service *service)
{
	service->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	service->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (service->null_fd < 0 || service->epoll_fd < 0 || open_signals(service) < 0)
		return -1;
	for (enum pipe_id pipe = 0; pipe < PIPE_N; pipe++) {
		if (pipe2(service->pipes[pipe], O_CLOEXEC) < 0)
			return -1;
	}
	return 0;
}

/* A stage that is not wanted, or is optional and not installed, is not there; one that is not optional fails when it is started. */
static int
prepare_stages(struct service *service, const char *programs, const struct service_options *options)
{
	static const char *const no_more[] = {NULL};
	/* Of the words each second is a value. */
	service->writes_stdout = options->sink_word_count == 0;
	for (size_t i = 1; i < options->sink_word_count; i += 2)
		service->writes_stdout |= strcmp(options->sink_words[i], "-") == 0;

	for (enum stage_id id = 0; id < STAGE_N; id++) {
		struct stage *stage = &service->stages[id];
		const struct stage_plan *plan = &pipeline_plan[id];
		int n = snprintf(stage->path, sizeof stage->path, "%s/%s", programs, plan->program);
		stage->pidfd = -1;
		if (!pipeline_has_stage(id, options))
			continue;
		stage->argv = pipeline_argv_new(id, options, no_more);
		if (n < 0 || (size_t)n >= sizeof stage->path || stage->argv == NULL)
			return -1;
		if (!plan->optional || access(stage->path, X_OK) == 0)
			stage->state = STAGE_WAITING;
	}
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
		.null_fd = -1,
		.epoll_fd = -1,
		.signal_fd = -1,
		.pipes = {{-1, -1}, {-1, -1}, {-1, -1}},
	};

	if (open_all(&service) < 0 || prepare_stages(&service, programs, options) < 0) {
		diag_error("cannot set up the pipeline: %s", strerror(errno));
		service.exit_code = EXIT_OS;
	} else {
		loop(&service);
	}
	for (enum stage_id id = 0; id < STAGE_N; id++)
		free(service.stages[id].argv);
	for (enum pipe_id pipe = 0; pipe < PIPE_N; pipe++) {
		close_fd(service.pipes[pipe][0]);
		close_fd(service.pipes[pipe][1]);
	}
	close_fd(service.signal_fd);
	close_fd(service.epoll_fd);
	close_fd(service.null_fd);
	return service.exit_code;
}
