/* stages - the processes of the pipeline and the pipes between them: started, asked to end, killed, and noticed when they have ended.
 *
 * Both ends of every pipe stay open here, so a stage that dies is replaced without its neighbours noticing: what is in the pipe waits. The price is that
 * end-of-file is ours to send: a stage that is to end after all that was written for it is asked so by closing its pipe, when everybody who writes to it has ended. */
#ifndef SUPERVISOR_STAGES_H
#define SUPERVISOR_STAGES_H

#include "metrics.h"
#include "pipeline.h"
#include "restart.h"
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
	char **argv;
	pid_t pid;
	int pidfd;
	uint64_t started_ns, start_at_ns; /* CLOCK_MONOTONIC */
	uint64_t
		given_up_at_ns; /* it was killed, and is left behind if it has not gone by then; 0: it was not */
	struct restart restart;
	struct watch watch;
	struct metrics_page page;
	uint64_t restarts, stalls;
	char reason[STAGE_REASON_SIZE]; /* how it ended last, "": it has not */
};

/* More stages than this that hang in the kernel are not waited for. */
#define STAGES_LEFT_MAX 32

struct stages {
	struct stage items[STAGE_N];
	int pipes[PIPE_N][2]; /* -1: closed */
	int null_fd, epoll_fd;
	int config_fd; /* a copy of the configuration in force, -1: none yet; set by the caller, and closed at the end */
	pid_t left[STAGES_LEFT_MAX];
	size_t left_count;
};

/* Stages in a set: bit i is stage i. */
typedef unsigned stage_set;
#define STAGE_BIT(id) (1U << (id))
#define STAGES_ALL (STAGE_BIT(STAGE_N) - 1)
/* Those that read the configuration. */
#define STAGES_CONFIGURED \
	(STAGE_BIT(STAGE_IBSCAN) | STAGE_BIT(STAGE_LOGMATCH) | STAGE_BIT(STAGE_TOPOCLASS) | \
		STAGE_BIT(STAGE_CTREVAL))

/* Makes pipes and pages, and has every stage start at once; `programs` is their directory. Ends are reported by `epoll_fd`, whose data is the stage's number. 0, or -1 with
 * errno; stages_fini() in both cases. */
int stages_init(struct stages *stages, const char *programs, const struct service_options *options,
	int epoll_fd);
void stages_fini(struct stages *stages);

/* True for a stage that runs, or will. */
bool stage_is_alive(const struct stage *stage);

/* True when one of the set is alive. */
bool stages_any_alive(const struct stages *stages, stage_set set);

/* Starts what is due. Returns when the next one is, UINT64_MAX for never. */
uint64_t stages_start_due(struct stages *stages, uint64_t now_ns);

/* The stage is to be started again `delay_ns` from now on. */
void stages_start_in(struct stages *stages, enum stage_id id, uint64_t delay_ns);

/* Has the set end in order, sources first, the others when they have read all that was written for them. */
void stages_end(struct stages *stages, stage_set set);

/* Has the set, of which nobody is alive, start anew, with new pipes where they were closed. 0, or -1 with errno. */
int stages_begin(struct stages *stages, stage_set set);

/* If the stage has ended: true, and how. What is to become of it is the caller's to say. */
bool stages_take_end(struct stages *stages, enum stage_id id, siginfo_t *info);

/* To be called after an end has been dealt with: end-of-file is sent where nobody writes any more. */
void stages_close_finished(struct stages *stages);

void stages_kill(struct stages *stages, stage_set set);

/* The stage was killed and is not gone, because it hangs in the kernel: it is left to it. */
void stages_leave_behind(struct stages *stages, enum stage_id id);

/* Takes the ends of those that were left behind. */
void stages_reap(struct stages *stages);

/* What the watch wants to know of a stage that runs. */
void stages_look(
	const struct stages *stages, enum stage_id id, uint64_t now_ns, struct watch_look *look);

#endif
