/* keeper - starts, restarts, reloads and stops the stages. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "keeper.h"

#include "clock.h"
#include "confcopy.h"
#include "diag.h"
#include "num.h"
#include "proc.h"
#include "strbuf.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Time for the stages to drain the pipes after they are asked to stop. */
#define DRAIN_NS (5 * NUM_NS_PER_S)

/* The part of DRAIN_NS for the sources: while one hangs, the stages after it get no end-of-file,
 * and emit does not start its last delivery. */
#define SOURCES_NS NUM_NS_PER_S

/* Signals within this time count as one request to stop. */
#define ONE_REQUEST_NS (NUM_NS_PER_S / 2)

/* A stage other than ctreval may find its files in use this often, over some seconds, before the
 * service concludes that another service uses them. */
#define REFUSED_MAX 3

/* --- stopping --- */

static stage_set
ending_set(const struct keeper *keeper)
{
	return keeper->phase == KEEPER_RELOADING ? keeper->reloaded : STAGES_ALL;
}

/* Start the time within which the stages must end. */
static void
give_time(struct keeper *keeper, uint64_t now_ns)
{
	keeper->deadline_ns = now_ns + DRAIN_NS;
	keeper->sources_until_ns = now_ns + SOURCES_NS;
}

static void
stop_stages(struct keeper *keeper, enum keeper_phase phase)
{
	keeper->phase = phase;
	keeper->killed = false;
	give_time(keeper, clock_monotonic_ns());
	stages_end(&keeper->stages, ending_set(keeper));
}

void
keeper_stop(struct keeper *keeper, int exit_code)
{
	if (keeper->phase == KEEPER_CHECKING)
		confcopy_drop_check(&keeper->check);
	keeper->exit_code = exit_code;
	stop_stages(keeper, KEEPER_STOPPING);
}

bool
keeper_hurry(struct keeper *keeper)
{
	if (!keeper->killed &&
		clock_monotonic_ns() + DRAIN_NS < keeper->deadline_ns + ONE_REQUEST_NS)
		return false;
	keeper->deadline_ns = clock_monotonic_ns() + KEEPER_KILLED_NS;
	keeper->killed = true;
	stages_kill(&keeper->stages, STAGES_ALL);
	return true;
}

/* During a reload all stages but emit may be down, so check the phase, too. */
bool
keeper_is_done(const struct keeper *keeper)
{
	return keeper->phase == KEEPER_STOPPING && !stages_any_alive(&keeper->stages, STAGES_ALL);
}

/* --- ends of stages --- */

/* Return true if no event is lost with a stage that dies: the state and the spool are kept, so the
 * next stage writes or delivers the events again. */
static bool
is_durable(const struct service_options *options)
{
	return options->spool_path != NULL && options->state_path != NULL;
}

/* Return true for an end that is normal after a request to stop. SIGTERM may kill a source that has
 * not yet installed its handler, and SIGPIPE a writer whose reader has ended. */
static bool
exited_cleanly(const struct stage_plan *plan, const siginfo_t *info)
{
	if (info->si_code == CLD_EXITED)
		return info->si_status == 0;
	if (info->si_code != CLD_KILLED)
		return false;
	return info->si_status == SIGPIPE || (plan->is_source && info->si_status == SIGTERM);
}

/* Report the end of a stage that was asked to stop, and set the exit code if it may have lost
 * events. */
static void
record_exit(struct keeper *keeper, enum stage_id id, const siginfo_t *info)
{
	const struct stage_plan *plan = &pipeline_plan[id];
	if (exited_cleanly(plan, info))
		return;
	diag_warn("stage %s: %s while %s", plan->program, keeper->stages.items[id].reason,
		keeper->phase == KEEPER_STOPPING ? "stopping" : "the configuration is reloaded");
	/* The stages before ctreval handle scans, not events. */
	if (keeper->phase != KEEPER_STOPPING || keeper->exit_code != 0 || id == STAGE_IBEVENT ||
		id == STAGE_LNETREAD || id == STAGE_IBSCAN || id == STAGE_TOPOCLASS)
		return;
	/* emit reports itself what it could not deliver, and exits with 0 if that is in the
	 * spool. */
	if (id == STAGE_EMIT && info->si_code == CLD_EXITED)
		keeper->exit_code = info->si_status;
	else if (!is_durable(keeper->options))
		keeper->exit_code = EXIT_UNAVAILABLE;
}

/* Return true if our stdout is a pipe or socket without a reader, as after `| head`. */
static bool
stdout_is_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};
	return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

/* Schedule the restart of a stage that ended or hangs. */
static void
schedule_restart(struct keeper *keeper, enum stage_id id)
{
	struct stage *stage = &keeper->stages.items[id];
	uint64_t delay_ns =
		watch_restart_delay_ns(&stage->restart, clock_monotonic_ns() - stage->started_ns);
	diag_warn("stage %s: %s: restarting it in %llu s", pipeline_plan[id].program, stage->reason,
		(unsigned long long)(delay_ns / NUM_NS_PER_S));
	stage->restarts++;
	stages_start_in(&keeper->stages, id, delay_ns);
}

/* Return true if another service on this node has used the state file or spool since this service
 * started. If a stage of this service has ever had the file, the holder is only a visitor, or a
 * predecessor that hangs in the kernel, and will go.
 *
 * Of two services that start together, each may get one of the two files. The state file decides:
 * the service whose ctreval does not get it stops at once, and the other one retries until the
 * spool is free. */
static bool
is_second(struct stage *stage, enum stage_id id, const siginfo_t *info)
{
	if (info->si_code != CLD_EXITED || info->si_status != EXIT_TRY_LATER ||
		stage->refused + 1 != stage->starts)
		return false;
	stage->refused++;
	return id == STAGE_CTREVAL || stage->refused == REFUSED_MAX;
}

/* Return true if the stage's input does not exist on this node. */
static bool
has_nothing_to_read(const siginfo_t *info)
{
	return info->si_code == CLD_EXITED && info->si_status == EXIT_UNAVAILABLE;
}

/* Stop the service because of how the stage ended. */
static void
give_up(struct keeper *keeper, enum stage_id id, const char *why, int exit_code)
{
	diag_error("stage %s: %s: %s", pipeline_plan[id].program, keeper->stages.items[id].reason,
		why);
	keeper_stop(keeper, exit_code);
}

/* Handle a stage that ended by itself or was killed by another process. */
static void
act_on_end(struct keeper *keeper, enum stage_id id, const siginfo_t *info)
{
	struct stage *stage = &keeper->stages.items[id];
	const struct stage_plan *plan = &pipeline_plan[id];

	if (plan->optional && (proc_end_is_permanent(info) || has_nothing_to_read(info))) {
		diag_error("stage %s: %s: continuing without it", plan->program, stage->reason);
		return;
	}
	if (proc_end_is_permanent(info)) {
		give_up(keeper, id, "permanent failure, stopping the service", info->si_status);
		return;
	}
	if (!plan->optional && is_second(stage, id, info)) {
		give_up(keeper, id, "another process has its files: stopping", EXIT_TRY_LATER);
		return;
	}
	if (plan->out == PIPE_NONE && keeper->writes_stdout && info->si_code == CLD_EXITED &&
		info->si_status == EXIT_IO && stdout_is_gone()) {
		give_up(keeper, id, "the reader of stdout has exited: stopping", EXIT_IO);
		return;
	}
	schedule_restart(keeper, id);
}

void
keeper_accept_end(struct keeper *keeper, enum stage_id id)
{
	siginfo_t info;
	if (!stages_accept_end(&keeper->stages, id, &info))
		return;
	if (keeper->stages.items[id].ending)
		record_exit(keeper, id, &info);
	else
		act_on_end(keeper, id, &info);
	stages_close_finished(&keeper->stages);
}

void
keeper_leave_behind(struct keeper *keeper, enum stage_id id)
{
	struct stage *stage = &keeper->stages.items[id];
	diag_warn("stage %s: pid %d hangs in the kernel: leaving it behind",
		pipeline_plan[id].program, (int)stage->pid);
	stages_leave_behind(&keeper->stages, id);
	if (!stage->ending)
		schedule_restart(keeper, id);
	stages_close_finished(&keeper->stages);
}

static void
kill_sources(struct keeper *keeper)
{
	keeper->sources_until_ns = 0;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct stage *stage = &keeper->stages.items[id];
		if (!pipeline_plan[id].is_source || !stage->ending || stage->state != STAGE_RUNNING)
			continue;
		diag_warn("stage %s: has not ended within %llu s: killing it",
			pipeline_plan[id].program, (unsigned long long)(SOURCES_NS / NUM_NS_PER_S));
		stages_kill(&keeper->stages, STAGE_BIT(id));
	}
}

/* Kill the stages that missed the deadline; at the next deadline give up those that hang in the
 * kernel. */
static void
kill_late_stages(struct keeper *keeper, uint64_t now_ns)
{
	if (!keeper->killed) {
		diag_warn("the stages have not ended within %llu s: killing them",
			(unsigned long long)(DRAIN_NS / NUM_NS_PER_S));
		stages_kill(&keeper->stages, ending_set(keeper));
	}
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		struct stage *stage = &keeper->stages.items[id];
		if (!stage->ending)
			continue;
		if (stage->state == STAGE_WAITING)
			stage->state = STAGE_ENDED;
		if (stage->state == STAGE_RUNNING && keeper->killed)
			keeper_leave_behind(keeper, id);
	}
	keeper->killed = true;
	keeper->deadline_ns = now_ns + KEEPER_KILLED_NS;
}

/* Return true if a sink is our stdout. In emit's words each option comes before its value. */
static bool
writes_stdout(const struct service_options *options)
{
	bool found = options->sink_word_count == 0;
	for (size_t i = 1; i < options->sink_word_count; i++)
		found |= strcmp(options->sink_words[i - 1], "--sink") == 0 &&
			 strcmp(options->sink_words[i], "-") == 0;
	return found;
}

/* --- the configuration --- */

/* Reload again if that was requested during the last reload or check. */
static void
retry_reload(struct keeper *keeper)
{
	if (keeper->reload_again) {
		keeper->reload_again = false;
		keeper_reload(keeper);
	}
}

/* Keep the configuration in force and report why. If another reload was requested meanwhile, try
 * again: the file may have been fixed. */
static void
refuse_reload(struct keeper *keeper, const char *reason)
{
	diag_error("SIGHUP: %s: keeping the current configuration", reason);
	keeper->phase = KEEPER_RUNNING;
	keeper->refused_reloads++;
	keeper->config_refused = true;
	retry_reload(keeper);
}

/* Check the new configuration before anything is changed, with the options as they were given:
 * those in force contain the sinks of the old configuration. */
void
keeper_reload(struct keeper *keeper)
{
	char reason[CONFCOPY_REASON_SIZE];
	if (keeper->phase == KEEPER_CHECKING || keeper->phase == KEEPER_RELOADING)
		keeper->reload_again = true;
	if (keeper->phase != KEEPER_RUNNING)
		return;
	if (confcopy_begin_check(
		    &keeper->check, keeper->programs, keeper->given, &keeper->confined) == 0) {
		struct epoll_event event = {.events = EPOLLIN, .data.u32 = KEEPER_CHECK};
		epoll_ctl(keeper->stages.epoll_fd, EPOLL_CTL_ADD, keeper->check.pidfd, &event);
		keeper->phase = KEEPER_CHECKING;
		return;
	}
	snprintf(reason, sizeof reason, "cannot check the configuration: %s", strerror(errno));
	refuse_reload(keeper, reason);
}

/* Apply the settings of a new configuration. emit restarts only if sinks or runbooks changed:
 * undelivered events are in the spool, and new events wait in its pipe. Return false with
 * `reason`. */
static bool
apply_settings(struct keeper *keeper, int config_fd, char *reason, size_t size)
{
	struct settings fresh;
	if (settings_read(&fresh, config_fd) < 0) {
		snprintf(reason, size, "the configuration cannot be loaded: %s", strerror(errno));
		return false;
	}
	bool are_same =
		keeper->given->names_sinks || settings_have_same_sinks(&keeper->settings, &fresh);
	are_same &= settings_have_same_runbooks(&keeper->settings, &fresh);
	keeper->reloaded = are_same ? STAGES_RELOADED : STAGES_ALL;
	settings_fini(&keeper->settings);
	keeper->settings = fresh;
	*keeper->options = settings_apply(&keeper->settings, keeper->given);
	keeper->writes_stdout = writes_stdout(keeper->options);
	return true;
}

static void
report_reload(const struct keeper *keeper)
{
	char names[256];
	struct strbuf text;
	strbuf_init(&text, names, sizeof names);
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		if ((STAGES_RELOADED & STAGE_BIT(id)) != 0 &&
			keeper->stages.items[id].state != STAGE_ABSENT)
			strbuf_addf(&text, "%s%s", text.length > 0 ? ", " : "",
				pipeline_plan[id].program);
	}
	diag_note("SIGHUP: configuration reloaded: restarting %s%s", names,
		keeper->reloaded == STAGES_ALL ? " and, for other sinks or runbooks, emit" : "");
}

void
keeper_accept_check(struct keeper *keeper)
{
	char reason[CONFCOPY_REASON_SIZE];
	int fd;
	if (keeper->phase != KEEPER_CHECKING ||
		!confcopy_finish_check(&keeper->check, &fd, reason, sizeof reason))
		return;
	if (fd < 0) {
		refuse_reload(keeper, reason);
		return;
	}
	if (!apply_settings(keeper, fd, reason, sizeof reason)) {
		close(fd);
		refuse_reload(keeper, reason);
		return;
	}
	close(keeper->stages.config_fd);
	keeper->stages.config_fd = fd;
	keeper->config_refused = false;
	keeper->reloads++;
	report_reload(keeper);
	stop_stages(keeper, KEEPER_RELOADING);
}

/* Give up a check that hangs, as on a network file system, so that another reload is possible. */
static void
give_up_check(struct keeper *keeper)
{
	char reason[CONFCOPY_REASON_SIZE];
	confcopy_drop_check(&keeper->check);
	snprintf(reason, sizeof reason, "the configuration was not read and checked within %llu s",
		(unsigned long long)(CONFCOPY_CHECK_LIMIT_NS / NUM_NS_PER_S));
	refuse_reload(keeper, reason);
}

/* Start the stages again after all the old ones have ended. */
static void
finish_reload(struct keeper *keeper)
{
	keeper->phase = KEEPER_RUNNING;
	if (stages_configure(&keeper->stages, keeper->options) < 0 ||
		stages_begin(&keeper->stages, keeper->reloaded) < 0) {
		diag_error("cannot set up the pipeline: %s", strerror(errno));
		keeper_stop(keeper, EXIT_OS);
		return;
	}
	retry_reload(keeper);
}

/* --- what is due --- */

/* After a gap give a check, and stages that are to end, their whole time again: they were frozen,
 * too, or waited for the service to close a pipe. */
static void
skip_gap(struct keeper *keeper, uint64_t now_ns)
{
	bool is_gap = watch_is_gap(keeper->looked_ns, now_ns);
	keeper->looked_ns = now_ns;
	if (!is_gap)
		return;
	keeper->check.deadline_ns = now_ns + CONFCOPY_CHECK_LIMIT_NS;
	if (!keeper->killed)
		give_time(keeper, now_ns);
}

/* Enforce the deadlines of a stop or reload. */
static void
enforce_deadlines(struct keeper *keeper, uint64_t now_ns)
{
	if (keeper->sources_until_ns != 0 && now_ns >= keeper->sources_until_ns)
		kill_sources(keeper);
	if (now_ns >= keeper->deadline_ns)
		kill_late_stages(keeper, now_ns);
}

/* Return when the phase has something due next, CLOCK_MONOTONIC. */
static uint64_t
phase_due_ns(const struct keeper *keeper)
{
	switch (keeper->phase) {
	case KEEPER_RUNNING:
		return UINT64_MAX;
	case KEEPER_CHECKING:
		return keeper->check.deadline_ns;
	case KEEPER_RELOADING:
	case KEEPER_STOPPING:
		break;
	}
	return keeper->sources_until_ns != 0
		       ? clock_earlier(keeper->sources_until_ns, keeper->deadline_ns)
		       : keeper->deadline_ns;
}

uint64_t
keeper_run_due(struct keeper *keeper, uint64_t now_ns)
{
	skip_gap(keeper, now_ns);
	if (keeper->phase == KEEPER_CHECKING && now_ns >= keeper->check.deadline_ns)
		give_up_check(keeper);
	if (keeper->phase == KEEPER_RELOADING || keeper->phase == KEEPER_STOPPING)
		enforce_deadlines(keeper, now_ns);
	if (keeper->phase == KEEPER_RELOADING &&
		!stages_any_alive(&keeper->stages, keeper->reloaded))
		finish_reload(keeper);
	/* The calls above may have changed the phase. */
	return clock_earlier(phase_due_ns(keeper), stages_start_due(&keeper->stages, now_ns));
}

/* --- setup and teardown --- */

int
keeper_init(struct keeper *keeper, const char *programs, const struct service_options *given,
	struct service_options *options, int epoll_fd)
{
	*keeper = (struct keeper){.programs = programs,
		.given = given,
		.options = options,
		.confined.everything = true,
		.reloaded = STAGES_RELOADED};
	*options = *given;
	if (stages_init(&keeper->stages, programs, options, epoll_fd) < 0) {
		diag_error("cannot set up the pipeline: %s", strerror(errno));
		return EXIT_OS;
	}
	int status = confcopy_make(given->config_path, &keeper->stages.config_fd);
	if (status != 0)
		return status;
	char reason[CONFCOPY_REASON_SIZE];
	if (!apply_settings(keeper, keeper->stages.config_fd, reason, sizeof reason)) {
		diag_error("%s", reason);
		return EXIT_OS;
	}
	if (stages_configure(&keeper->stages, options) < 0) {
		diag_error("cannot copy the configuration: %s", strerror(errno));
		return EXIT_OS;
	}
	return 0;
}

void
keeper_fini(struct keeper *keeper)
{
	stages_fini(&keeper->stages);
	settings_fini(&keeper->settings);
	confined_fini(&keeper->confined);
}
