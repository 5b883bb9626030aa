/* stages - starts, stops, kills and reaps the processes of the pipeline, and keeps the pipes
 * between them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "logstdin.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A stage's descriptors of the metrics page and of the configuration: they follow stderr in the
 * order of proc_command.more. */
#define PAGE_OPTION "--metrics-fd", "3"
#define CONFIG_PATH "/proc/self/fd/4"

/* --- setup and teardown --- */

/* Set the stage's arguments and environment. Return 0, or -1 with errno. */
static int
set_words(struct stages *stages, enum stage_id id, const struct service_options *options)
{
	static const char *const more[] = {PAGE_OPTION, NULL};
	struct stage *stage = &stages->items[id];
	struct service_options own = *options;

	own.config_path = CONFIG_PATH;
	/* These stages are prepared first: if one is absent, ibscan must not expect its events. */
	if (id > STAGE_IBEVENT && stages->items[STAGE_IBEVENT].state == STAGE_ABSENT)
		own.event_sources = NULL;
	if (id > STAGE_LNETREAD && stages->items[STAGE_LNETREAD].state == STAGE_ABSENT)
		own.lnet_path = NULL;
	arguments_fini(&stage->arguments);
	free(stage->environment);
	stage->arguments = pipeline_arguments_new(id, &own, more);
	stage->environment = pipeline_environment_new(id, &own, environ);
	errno = ENOMEM;
	return arguments_argv(&stage->arguments) != NULL && stage->environment != NULL ? 0 : -1;
}

/* Prepare a stage's start. One that is not requested, or optional and not installed, stays absent;
 * a required one that is not installed fails when it starts. */
static int
prepare(struct stages *stages, enum stage_id id, const char *programs,
	const struct service_options *options)
{
	struct stage *stage = &stages->items[id];
	const struct stage_plan *plan = &pipeline_plan[id];
	int n = snprintf(stage->path, sizeof stage->path, "%s/%s", programs, plan->program);
	if (n < 0 || (size_t)n >= sizeof stage->path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!pipeline_has_stage(id, options) || (plan->optional && access(stage->path, X_OK) != 0))
		return 0;
	if (set_words(stages, id, options) < 0 ||
		metrics_page_init(&stage->page, plan->program) < 0)
		return -1;
	stage->state = STAGE_WAITING;
	return 0;
}

static void
close_end(struct stages *stages, enum pipe_id pipe, int end)
{
	fd_close(stages->pipes[pipe][end]);
	stages->pipes[pipe][end] = -1;
}

/* Open all pipes that are closed. */
static int
open_pipes(struct stages *stages)
{
	for (enum pipe_id pipe = 0; pipe < PIPE_N; pipe++) {
		int *ends = stages->pipes[pipe];
		if (ends[0] >= 0 && ends[1] >= 0)
			continue;
		close_end(stages, pipe, 0);
		close_end(stages, pipe, 1);
		if (pipe2(ends, O_CLOEXEC) < 0)
			return -1;
	}
	return 0;
}

int
stages_init(struct stages *stages, const char *programs, const struct service_options *options,
	int epoll_fd)
{
	*stages = (struct stages){.epoll_fd = epoll_fd,
		.config_fd = -1,
		.log_is_stdin = logstdin_is_meant(options->kmsg_path)};
	for (enum pipe_id pipe = 0; pipe < PIPE_N; pipe++)
		stages->pipes[pipe][0] = stages->pipes[pipe][1] = -1;
	for (enum stage_id id = 0; id < STAGE_N; id++)
		stages->items[id].pidfd = stages->items[id].page.fd = -1;
	stages->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (stages->null_fd < 0 || open_pipes(stages) < 0)
		return -1;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (prepare(stages, id, programs, options) < 0)
			return -1;
	}
	return 0;
}

int
stages_configure(struct stages *stages, const struct service_options *options)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (stages->items[id].state != STAGE_ABSENT && set_words(stages, id, options) < 0)
			return -1;
	}
	return 0;
}

void
stages_fini(struct stages *stages)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		arguments_fini(&stages->items[id].arguments);
		free(stages->items[id].environment);
		metrics_page_fini(&stages->items[id].page);
		fd_close(stages->items[id].pidfd);
	}
	for (enum pipe_id pipe = 0; pipe < PIPE_N; pipe++) {
		close_end(stages, pipe, 0);
		close_end(stages, pipe, 1);
	}
	fd_close(stages->null_fd);
	fd_close(stages->config_fd);
}

/* --- starting --- */

bool
stage_is_alive(const struct stage *stage)
{
	return stage->state == STAGE_RUNNING || stage->state == STAGE_WAITING;
}

bool
stages_any_alive(const struct stages *stages, stage_set set)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if ((set & STAGE_BIT(id)) != 0 && stage_is_alive(&stages->items[id]))
			return true;
	}
	return false;
}

void
stages_start_in(struct stages *stages, enum stage_id id, uint64_t delay_ns)
{
	stages->items[id].start_at_ns = clock_monotonic_ns() + delay_ns;
	stages->items[id].state = STAGE_WAITING;
}

/* Return true if a stage writes to the pipe, now or later. */
static bool
has_writer(const struct stages *stages, enum pipe_id pipe)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (pipeline_plan[id].out == pipe && stages->items[id].state != STAGE_ABSENT)
			return true;
	}
	return false;
}

static int
input_of(const struct stages *stages, const struct stage_plan *plan)
{
	if (plan->in != PIPE_NONE && has_writer(stages, plan->in))
		return stages->pipes[plan->in][0];
	return plan->reads_log && stages->log_is_stdin ? STDIN_FILENO : stages->null_fd;
}

static void
start(struct stages *stages, enum stage_id id)
{
	struct stage *stage = &stages->items[id];
	const struct stage_plan *plan = &pipeline_plan[id];
	const int more[] = {stage->page.fd, stages->config_fd};
	const struct proc_command command = {
		.path = stage->path,
		.argv = arguments_argv(&stage->arguments),
		.environment = stage->environment,
		.in = input_of(stages, plan),
		.out = plan->out == PIPE_NONE ? STDOUT_FILENO : stages->pipes[plan->out][1],
		.more = more,
		.more_count = (STAGE_BIT(id) & STAGES_CONFIGURED) != 0 ? 2 : 1,
		.keeps_capabilities = plan->reads_log,
	};

	stage->started_ns = clock_monotonic_ns();
	stage->starts++;
	stage->given_up_at_ns = 0;
	stage->watch = (struct watch){.ticks = 0};
	stage->pid = proc_spawn(&command, &stage->pidfd);
	if (stage->pid < 0) {
		diag_error("stage %s: cannot be started: %s", plan->program, strerror(errno));
		stages_start_in(stages, id, watch_restart_delay_ns(&stage->restart, 0));
		return;
	}
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = id};
	epoll_ctl(stages->epoll_fd, EPOLL_CTL_ADD, stage->pidfd, &event);
	stage->state = STAGE_RUNNING;
	diag_info("stage %s: started, pid %d", plan->program, (int)stage->pid);
}

uint64_t
stages_start_due(struct stages *stages, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		struct stage *stage = &stages->items[id];
		if (stage->state == STAGE_WAITING && now_ns >= stage->start_at_ns)
			start(stages, id);
		if (stage->state == STAGE_WAITING)
			next_ns = clock_earlier(next_ns, stage->start_at_ns);
	}
	return next_ns;
}

/* --- ending --- */

static void
signal_stage(const struct stage *stage, int signal_number)
{
	/* The process is not reaped yet, so the pid is still its own. */
	if (stage->state == STAGE_RUNNING)
		kill(stage->pid, signal_number);
}

/* Return true if a live stage reads the pipe. */
static bool
is_read(const struct stages *stages, enum pipe_id pipe)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (pipeline_plan[id].in == pipe && stage_is_alive(&stages->items[id]))
			return true;
	}
	return false;
}

/* Return true if the stage that reads the pipe is ending. */
static bool
is_ending(const struct stages *stages, enum pipe_id pipe)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (pipeline_plan[id].in == pipe && !stages->items[id].ending)
			return false;
	}
	return true;
}

void
stages_close_finished(struct stages *stages)
{
	for (enum pipe_id pipe = 0; pipe < PIPE_N; pipe++) {
		bool is_written = false;
		if (!is_ending(stages, pipe))
			continue;
		for (enum stage_id id = 0; id < STAGE_N; id++)
			is_written |=
				pipeline_plan[id].out == pipe && stage_is_alive(&stages->items[id]);
		if (!is_written)
			close_end(stages, pipe, 1);
		if (!is_written || !is_read(stages, pipe))
			close_end(stages, pipe, 0);
	}
}

/* Stop the sources, and start waiting stages now if their pipes may still hold data. */
void
stages_end(struct stages *stages, stage_set set)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		struct stage *stage = &stages->items[id];
		bool is_source = pipeline_plan[id].is_source;
		if ((set & STAGE_BIT(id)) == 0)
			continue;
		/* A second SIGTERM would interrupt its orderly end. */
		if (is_source && !stage->ending)
			signal_stage(stage, SIGTERM);
		stage->ending = true;
		if (stage->state != STAGE_WAITING)
			continue;
		if (is_source)
			stage->state = STAGE_ENDED;
		else
			start(stages, id);
	}
	stages_close_finished(stages);
}

int
stages_begin(struct stages *stages, stage_set set)
{
	if (open_pipes(stages) < 0)
		return -1;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if ((set & STAGE_BIT(id)) == 0)
			continue;
		stages->items[id].ending = false;
		if (stages->items[id].state == STAGE_ENDED)
			stages_start_in(stages, id, 0);
	}
	return 0;
}

bool
stages_accept_end(struct stages *stages, enum stage_id id, siginfo_t *info)
{
	struct stage *stage = &stages->items[id];
	*info = (siginfo_t){0};
	if (stage->pidfd < 0 || waitid(P_PIDFD, (id_t)stage->pidfd, info, WEXITED | WNOHANG) < 0 ||
		info->si_pid == 0)
		return false;
	close(stage->pidfd);
	stage->pidfd = -1;
	stage->state = STAGE_ENDED;
	proc_describe_end(info, stage->reason, sizeof stage->reason);
	return true;
}

void
stages_kill(struct stages *stages, stage_set set)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if ((set & STAGE_BIT(id)) != 0)
			signal_stage(&stages->items[id], SIGKILL);
	}
}

void
stages_leave_behind(struct stages *stages, enum stage_id id)
{
	struct stage *stage = &stages->items[id];
	close(stage->pidfd);
	stage->pidfd = -1;
	stage->state = STAGE_ENDED;
	snprintf(stage->reason, sizeof stage->reason, "hangs in the kernel");
}

/* Return true if the process is a stage, which stages_accept_end() reaps. */
static bool
is_stage(const struct stages *stages, pid_t pid)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if (stages->items[id].pidfd >= 0 && stages->items[id].pid == pid)
			return true;
	}
	return false;
}

void
stages_reap(const struct stages *stages, pid_t kept)
{
	siginfo_t info = {0};
	/* waitid() reports one of the ended processes. If it is a stage, the others must wait until
	 * the stage is reaped. */
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
		info.si_pid != kept && !is_stage(stages, info.si_pid)) {
		waitpid(info.si_pid, NULL, WNOHANG);
		info.si_pid = 0;
	}
}

/* --- watching --- */

static bool
is_full(int write_end)
{
	struct pollfd pipe = {.fd = write_end, .events = POLLOUT};
	return poll(&pipe, 1, 0) == 0;
}

static uint64_t
ticks_of(const struct stages *stages, enum stage_id id)
{
	return metrics_page_vital(&stages->items[id].page, METRICS_TICKS);
}

/* Return the processor time that all threads of the process have used; 0 if it is unknown. */
static uint64_t
used_ns(pid_t pid)
{
	clockid_t clock;
	return clock_getcpuclockid(pid, &clock) == 0 ? clock_used_ns(clock) : 0;
}

void
stages_look(const struct stages *stages, enum stage_id id, uint64_t now_ns, struct watch_look *look)
{
	const struct stage_plan *plan = &pipeline_plan[id];
	int unread = 0;

	*look = (struct watch_look){
		.now_ns = now_ns,
		.used_ns = used_ns(stages->items[id].pid),
		.ticks = ticks_of(stages, id),
		.is_source = plan->is_source,
		.holding = metrics_page_vital(&stages->items[id].page, METRICS_HOLDING) != 0,
	};
	if (id == STAGE_TOPOCLASS)
		look->feed_ticks = ticks_of(stages, STAGE_IBSCAN);
	else if (id == STAGE_CTREVAL)
		look->feed_ticks = ticks_of(stages, STAGE_TOPOCLASS);
	if (plan->in != PIPE_NONE && stages->pipes[plan->in][1] >= 0) {
		ioctl(stages->pipes[plan->in][0], FIONREAD, &unread);
		look->input_waits = unread > 0;
		look->input_full = is_full(stages->pipes[plan->in][1]);
	}
	if (plan->out != PIPE_NONE && stages->pipes[plan->out][1] >= 0)
		look->output_full = is_full(stages->pipes[plan->out][1]);
}
