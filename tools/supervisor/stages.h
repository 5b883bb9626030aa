/* stages - the processes of the pipeline and the pipes between them (arch#pipes-kept): started,
 * asked to end, killed, and noticed when they have ended.
 *
 * Both ends of every pipe stay open here, so a stage that dies is replaced without its neighbours
 * noticing: what is in the pipe waits. The price is that only we can send end-of-file: to end a
 * stage after all that was written for it, we close its pipe when everybody who writes to it has
 * ended. */
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
	STAGE_ABSENT, /* it is not asked for, or there is no such program */
	STAGE_RUNNING,
	STAGE_WAITING, /* to be started at start_at_ns */
	STAGE_ENDED,   /* and not to be started again */
};

/* Room for how a stage has ended. */
#define STAGE_REASON_SIZE 64

struct stage {
	enum stage_state state;
	bool ending; /* it has been asked to end, or will be by end-of-file */
	char path[PATH_MAX];
	struct arguments arguments;
	char **environment;
	pid_t pid;
	int pidfd;
	uint64_t started_ns, start_at_ns; /* CLOCK_MONOTONIC */
	/* it was killed, and is left behind if it has not gone by then; 0: it was not */
	uint64_t given_up_at_ns;
	struct watch_restart restart;
	struct watch watch;
	struct metrics_page page;
	uint64_t starts, restarts, stalls;
	/* so many runs, from the first on, ended because another process has its files */
	uint64_t refused;
	char reason[STAGE_REASON_SIZE]; /* how it ended last, "": it has not */
};

struct stages {
	struct stage items[STAGE_N];
	int pipes[PIPE_N][2]; /* -1: closed */
	int null_fd, epoll_fd;
	bool log_is_stdin; /* the service's own, for logmatch */
	/* a copy of the configuration in force, -1: none yet; set by the caller, and closed at the
	 * end */
	int config_fd;
};

/* Stages in a set: bit i is stage i. */
typedef unsigned stage_set;
#define STAGE_BIT(id) (1U << (id))
#define STAGES_ALL (STAGE_BIT(STAGE_N) - 1)
/* Those that read the configuration. */
#define STAGES_CONFIGURED \
	(STAGE_BIT(STAGE_IBSCAN) | STAGE_BIT(STAGE_LOGMATCH) | STAGE_BIT(STAGE_TOPOCLASS) | \
		STAGE_BIT(STAGE_CTREVAL))

/* Those that a reload starts again. Who writes to ibscan goes along, because its input is closed
 * behind it; and correlate reads its rules again. */
#define STAGES_RELOADED \
	(STAGES_CONFIGURED | STAGE_BIT(STAGE_IBEVENT) | STAGE_BIT(STAGE_LNETREAD) | \
		STAGE_BIT(STAGE_CORRELATE))

/* Makes pipes and pages, and has every stage start at once; `programs` is their directory. Ends are
 * reported by `epoll_fd`, whose data is the stage's number. 0, or -1 with errno; stages_fini() in
 * both cases. */
int stages_init(struct stages *stages, const char *programs, const struct service_options *options,
	int epoll_fd);
void stages_fini(struct stages *stages);

/* From now on stages are started with these options. 0, or -1 with errno. */
int stages_configure(struct stages *stages, const struct service_options *options);

/* True for a stage that runs, or will. */
bool stage_is_alive(const struct stage *stage);

/* True when one of the set is alive. */
bool stages_any_alive(const struct stages *stages, stage_set set);

/* Starts what is due. Returns when the next one is, UINT64_MAX for never. */
uint64_t stages_start_due(struct stages *stages, uint64_t now_ns);

/* The stage is to be started again `delay_ns` from now on. */
void stages_start_in(struct stages *stages, enum stage_id id, uint64_t delay_ns);

/* Ends the stages of the set in order: sources first, each of the others when it has read all that
 * was written for it. */
void stages_end(struct stages *stages, stage_set set);

/* Starts the stages of the set, none of which is alive, again; pipes that were closed are made
 * anew. 0, or -1 with errno. */
int stages_begin(struct stages *stages, stage_set set);

/* If the stage has ended: true, and how. The caller decides what becomes of it. */
bool stages_accept_end(struct stages *stages, enum stage_id id, siginfo_t *info);

/* Closes the pipes that nobody writes to any more, so that their readers see end-of-file. Call it
 * after each end that has been dealt with. */
void stages_close_finished(struct stages *stages);

void stages_kill(struct stages *stages, stage_set set);

/* Forgets a stage that was killed and is not gone, because it hangs in the kernel. */
void stages_leave_behind(struct stages *stages, enum stage_id id);

/* Lets those go that have ended and that nobody waits for any more: stages that were left behind,
 * what pre-flight could not wait for, and, in a container, orphans. `kept` is a process that the
 * caller waits for; 0: there is none. */
void stages_reap(const struct stages *stages, pid_t kept);

/* What the watch wants to know of a stage that runs. */
void stages_look(
	const struct stages *stages, enum stage_id id, uint64_t now_ns, struct watch_look *look);

#endif
