/* confcopy - the configuration in force, which was found to be good and is kept whatever becomes of
 * its file; and the one that is to come into force.
 *
 * A stage that is started again months later gets the configuration that the others have, and not a
 * file that somebody has half edited. It gets the rules as --check-config shows them, in YAML,
 * whatever the file is written in. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_CONFCOPY_H
#define SUPERVISOR_CONFCOPY_H

#include "num.h"
#include "pipeline.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads `path` (NULL: the default place, where none need be) and writes its rules into memory that
 * nobody can change; every problem is a line on stderr. 0 and `*fd`, the caller's to close and not
 * inherited; or the exit code to end with: see conf_load(). */
int confcopy_make(const char *path, int *fd);

/* The same in two steps, for one process that makes the room and another one that fills it. */

/* An empty copy, the caller's to close and not inherited; -1 with errno. */
int confcopy_open(void);

/* Reads `path` as confcopy_make() does, and fills the copy. 0, or an exit code; see conf_load(). */
int confcopy_fill(int fd, const char *path);

/* True for a copy that was filled, and that nobody can change any more. */
bool confcopy_is_filled(int fd);

/* --- what is to come into force: read and tried in a process of its own ---
 *
 * To read a configuration takes long when it is large, and for ever when its disk hangs; the same
 * goes for the trial of topoclass. So the service goes on meanwhile. */

/* A check ends within this time even on a machine with ten times the work that it can do. */
#define CONFCOPY_CHECK_LIMIT_NS (10 * NUM_NS_PER_S)

/* Room for why a configuration is not taken. */
#define CONFCOPY_REASON_SIZE 160

/* A check that is under way. */
struct confcopy_check {
	pid_t pid;
	int pidfd;            /* can be read when the check has ended */
	int fd;               /* what becomes the copy of the configuration */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC; whoever has begun it gives it up then */
};

/* Begins to read the configuration that `options` name, and to try the stages that would not start
 * with it; each problem is a line on stderr. To be ended by confcopy_finish_check() or
 * confcopy_drop_check(). 0, or -1 with errno when there is no process to be had. */
int confcopy_begin_check(
	struct confcopy_check *check, const char *programs, const struct service_options *options);

/* If the check has ended: true, and `*fd` is a copy as confcopy_make() makes it, the caller's to
 * close; or -1, and `reason` says why there is none. */
bool confcopy_finish_check(struct confcopy_check *check, int *fd, char *reason, size_t size);

/* Kills it. Whoever waits for any child waits for it. */
void confcopy_drop_check(struct confcopy_check *check);

#endif
