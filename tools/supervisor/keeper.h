/* keeper - starts, restarts, reloads and stops the stages. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_KEEPER_H
#define SUPERVISOR_KEEPER_H

#include "confcopy.h"
#include "confined.h"
#include "num.h"
#include "settings.h"
#include "stages.h"

/* epoll data of the check of a configuration; the stages use their numbers. */
#define KEEPER_CHECK STAGE_N

/* Time for a killed stage to disappear. */
#define KEEPER_KILLED_NS NUM_NS_PER_S

/* The phase of the service. */
enum keeper_phase {
	KEEPER_RUNNING,
	KEEPER_CHECKING, /* it runs, and a child process checks a new configuration */
	/* the stages that read the configuration are stopping, to restart with the new one */
	KEEPER_RELOADING,
	KEEPER_STOPPING,
};

struct keeper {
	struct stages stages;
	const char *programs;                /* directory of the stages */
	const struct service_options *given; /* by the command line */
	struct service_options *options;     /* in force: `given` with `settings` applied */
	struct settings settings;
	struct confined confined; /* after confined_enter(); before it, everything is allowed */
	stage_set reloaded;       /* the stages that a reload restarts */
	enum keeper_phase phase;
	struct confcopy_check check;
	bool writes_stdout; /* a sink is our stdout */
	bool killed;        /* the stages that missed the deadline were killed */
	bool reload_again;  /* another reload was requested during a check or reload */
	/* when sources that are still running are killed; 0: done */
	uint64_t sources_until_ns;
	uint64_t deadline_ns; /* when stopping stages are killed, and after that, left behind */
	uint64_t looked_ns;   /* last call of keeper_run_due() */
	uint64_t reloads, refused_reloads;
	bool config_refused; /* the changed file was rejected, an older configuration is in force */
	int exit_code;       /* once the service is stopping */
};

/* Read the configuration and schedule the start of all stages; see stages_init(). From then on
 * `*options` are the options in force, also after each reload. Return 0, or the exit code after
 * printing the error; call keeper_fini() in both cases. */
int keeper_init(struct keeper *keeper, const char *programs, const struct service_options *given,
	struct service_options *options, int epoll_fd);
void keeper_fini(struct keeper *keeper);

/* Reap the stage if it has ended, and restart it, continue without it, or stop the service. */
void keeper_accept_end(struct keeper *keeper, enum stage_id id);

/* Do what is due: start stages, enforce deadlines, finish a reload. Return when something is due
 * next, CLOCK_MONOTONIC. */
uint64_t keeper_run_due(struct keeper *keeper, uint64_t now_ns);

/* Give up a killed stage that hangs in the kernel, and replace it if it is still needed. */
void keeper_leave_behind(struct keeper *keeper, enum stage_id id);

/* Start an orderly stop: the sources stop, and the other stages drain their pipes. */
void keeper_stop(struct keeper *keeper, int exit_code);

/* Handle another request to stop: kill all stages. Return false if it belongs to the first request:
 * timeout(1) and some init systems signal a process and then its group. */
bool keeper_hurry(struct keeper *keeper);

/* Start to check the configuration file, which comes into force if it is good. Does not wait. */
void keeper_reload(struct keeper *keeper);

/* If the check has ended, start the reload or reject the configuration. */
void keeper_accept_check(struct keeper *keeper);

/* Return true if the service was stopped and all stages have ended. */
bool keeper_is_done(const struct keeper *keeper);

#endif
