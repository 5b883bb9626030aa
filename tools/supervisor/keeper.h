/* keeper - what becomes of the stages: of one that ended, of one that makes no progress, of all at
 * the end, and of some when the configuration changes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_KEEPER_H
#define SUPERVISOR_KEEPER_H

#include "confcopy.h"
#include "confined.h"
#include "settings.h"
#include "stages.h"

/* In epoll's data, after the numbers of the stages: the check of a configuration has ended. */
#define KEEPER_CHECK STAGE_N

/* What the service is in the middle of. */
enum keeper_phase {
	KEEPER_RUNNING,
	KEEPER_CHECKING, /* it runs, and the configuration that may come into force is tried */
	/* the stages that read the configuration end, to be started with the new one */
	KEEPER_RELOADING,
	KEEPER_STOPPING,
};

struct keeper {
	struct stages stages;
	const char *programs;                /* the directory of the stages */
	const struct service_options *given; /* by the command line */
	struct service_options *options;     /* in force: the same with `settings` */
	struct settings settings;
	struct confined confined; /* once it has been entered; before, it has everything */
	stage_set reloaded;       /* the stages that a reload ends, and starts again */
	enum keeper_phase phase;
	struct confcopy_check check;
	bool writes_stdout; /* one of the sinks is our stdout */
	bool killed;        /* those who did not end in time */
	bool reload_again;  /* another reload was asked for while one was being dealt with */
	/* when sources that have not ended are killed; 0: they have been, or need not */
	uint64_t sources_until_ns;
	uint64_t deadline_ns; /* of ending; once killed, of waiting for the stages to be gone */
	uint64_t reloads, refused_reloads;
	bool config_refused; /* the file is another one than what is in force, and not good */
	int exit_code;       /* once it is stopping */
};

/* Reads the configuration and has all stages start; see stages_init(). `options` become those that
 * are in force, now and after each reload. 0, or the exit code to end with, which has been said;
 * keeper_fini() in both cases. */
int keeper_init(struct keeper *keeper, const char *programs, const struct service_options *given,
	struct service_options *options, int epoll_fd);
void keeper_fini(struct keeper *keeper);

/* The stage may have ended. */
void keeper_accept_end(struct keeper *keeper, enum stage_id id);

/* Does what is due. Returns when something is due next, CLOCK_MONOTONIC. */
uint64_t keeper_keep_time(struct keeper *keeper, uint64_t now_ns);

/* Has a look at whether the stages get on. */
void keeper_watch(struct keeper *keeper, uint64_t now_ns);

/* Begins to end in order: the stages still work off what is in the pipes. */
void keeper_stop(struct keeper *keeper, int exit_code);

/* Asked to stop again: nobody is waited for any longer. False when that is the same request still:
 * timeout(1) and some init systems signal a process and then its group. */
bool keeper_hurry(struct keeper *keeper);

/* Begins to check the configuration file as it is now, which comes into force if it is good. Does
 * not wait. */
void keeper_reload(struct keeper *keeper);

/* The check may have ended. */
void keeper_accept_check(struct keeper *keeper);

/* True when it has stopped. */
bool keeper_is_done(const struct keeper *keeper);

#endif
