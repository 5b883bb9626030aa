/* stages - starts, stops, kills and reaps the processes of the pipeline, and keeps the pipes
 * between them (arch#pipes-kept).
 *
 * Both ends of every pipe stay open in the service. So a stage that dies is replaced without its
 * neighbours noticing, and the data in the pipe waits. The price: a reader sees end-of-file only
 * when the service closes the pipe, which it does after all writers of the pipe have ended. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_STAGES_H
#define SUPERVISOR_STAGES_H

#include "metricspage.h"
#include "pipeline.h"
#include "watch.h"

#include <limits.h>
#include <signal.h>
#include <stdint.h>

enum stage_state {
	STAGE_ABSENT, /* not requested, or optional and not installed */
	STAGE_RUNNING,
	STAGE_WAITING, /* to be started at start_at_ns */
	STAGE_ENDED,   /* and not to be restarted */
};

/* Room for a text about how a stage ended. */
#define STAGE_REASON_SIZE 64

struct stage {
	enum stage_state state;
	bool ending; /* it was sent SIGTERM, or its input will be closed */
	char path[PATH_MAX];
	struct arguments arguments;
	char **environment;
	pid_t pid;
	int pidfd;
	uint64_t started_ns, start_at_ns; /* CLOCK_MONOTONIC */
	/* it was killed, and is left behind if it still runs then; 0: it was not killed */
	uint64_t given_up_at_ns;
	struct watch_restart restart;
	struct watch watch;
	struct metrics_page page;
	uint64_t starts, restarts, stalls;
	/* number of runs, counted from the first, that ended because another process uses its
	 * files */
	uint64_t refused;
	char reason[STAGE_REASON_SIZE]; /* how it ended last; "": it never did */
};

struct stages {
	struct stage items[STAGE_N];
	int pipes[PIPE_N][2]; /* -1: closed */
	int null_fd, epoll_fd;
	bool log_is_stdin; /* logmatch reads the service's stdin */
	/* copy of the configuration in force, set by the caller and closed by stages_fini(); -1:
	 * none yet */
	int config_fd;
};

/* A set of stages: bit i is stage i. */
typedef unsigned stage_set;
#define STAGE_BIT(id) (1U << (id))
#define STAGES_ALL (STAGE_BIT(STAGE_N) - 1)
/* Stages that read the configuration. */
#define STAGES_CONFIGURED \
	(STAGE_BIT(STAGE_IBSCAN) | STAGE_BIT(STAGE_LOGMATCH) | STAGE_BIT(STAGE_TOPOCLASS) | \
		STAGE_BIT(STAGE_CTREVAL))

/* Stages that a reload restarts. ibevent and lnetread write to ibscan, whose input pipe is closed;
 * correlate rereads its rules. */
#define STAGES_RELOADED \
	(STAGES_CONFIGURED | STAGE_BIT(STAGE_IBEVENT) | STAGE_BIT(STAGE_LNETREAD) | \
		STAGE_BIT(STAGE_CORRELATE))

/* Create pipes and pages, and schedule the immediate start of every stage. `programs`: directory of
 * the stages. `epoll_fd` reports the end of a stage with the stage's number as data. Return 0, or
 * -1 with errno; call stages_fini() in both cases. */
int stages_init(struct stages *stages, const char *programs, const struct service_options *options,
	int epoll_fd);
void stages_fini(struct stages *stages);

/* Set the options for all later starts of stages. Return 0, or -1 with errno. */
int stages_configure(struct stages *stages, const struct service_options *options);

/* Return true for a stage that runs or will be started. */
bool stage_is_alive(const struct stage *stage);

/* Return true if a stage of the set is alive. */
bool stages_any_alive(const struct stages *stages, stage_set set);

/* Start stages that are due. Return when the next one is due, UINT64_MAX: none. */
uint64_t stages_start_due(struct stages *stages, uint64_t now_ns);

/* Schedule the start of the stage in `delay_ns`. */
void stages_start_in(struct stages *stages, enum stage_id id, uint64_t delay_ns);

/* Stop the stages of the set in order: sources at once, each other stage after it has read all its
 * input. */
void stages_end(struct stages *stages, stage_set set);

/* Start every stage of the set again and reopen closed pipes. None of the set may be alive. Return
 * 0, or -1 with errno. */
int stages_begin(struct stages *stages, stage_set set);

/* Reap the stage if it has ended: return true and set `*info`. The caller decides whether to
 * restart it. */
bool stages_accept_end(struct stages *stages, enum stage_id id, siginfo_t *info);

/* Close each pipe whose reader is ending and that has no writer any more, so that the reader sees
 * end-of-file. Call after handling each stage's end. */
void stages_close_finished(struct stages *stages);

/* Kill the running stages of the set with SIGKILL. */
void stages_kill(struct stages *stages, stage_set set);

/* Give up a stage that was killed but hangs in the kernel. */
void stages_leave_behind(struct stages *stages, enum stage_id id);

/* Reap children that no other code waits for: stages that were left behind, pre-flight's processes
 * that hung, and, in a container, orphans. `kept`: a process that the caller reaps itself; 0:
 * none. */
void stages_reap(const struct stages *stages, pid_t kept);

/* Fill `*look` with the current state of a running stage, for watch_step(). */
void stages_look(
	const struct stages *stages, enum stage_id id, uint64_t now_ns, struct watch_look *look);

#endif
