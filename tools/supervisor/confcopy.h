/* confcopy - keeps a sealed copy of the configuration in force, and checks a new one.
 *
 * A stage that restarts months later reads this copy, as the other stages did, and not a file that
 * may be half edited. The copy has the rules as --check-config prints them, in YAML, whatever the
 * format of the file. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_CONFCOPY_H
#define SUPERVISOR_CONFCOPY_H

#include "confined.h"
#include "num.h"
#include "pipeline.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Read the configuration `path` (NULL: the default file, which may be missing) and write its rules
 * to a sealed memfd. Print each problem to stderr. Return 0 and set `*fd`, which is close-on-exec
 * and the caller's to close; or return an exit code, see conf_load(). */
int confcopy_make(const char *path, int *fd);

/* The same in two steps: one process opens the copy, another one fills it. */

/* Return the descriptor of an empty copy, close-on-exec, the caller's to close; -1 with errno. */
int confcopy_open(void);

/* Read `path` like confcopy_make(), fill the copy and seal it. Return 0 or an exit code, see
 * conf_load(). */
int confcopy_fill(int fd, const char *path);

/* Return true if the copy is filled and sealed. */
bool confcopy_is_filled(int fd);

/* --- checking a new configuration in a child process ---
 *
 * A large configuration takes long to read, and one on a hanging disk forever; trying the stages
 * may, too. So a child process does it, and the service continues meanwhile. */

/* Time limit of a check. It suffices even on a machine with a tenfold overload. */
#define CONFCOPY_CHECK_LIMIT_NS (10 * NUM_NS_PER_S)

/* Room for the reason why a configuration is rejected. */
#define CONFCOPY_REASON_SIZE 160

/* A running check. */
struct confcopy_check {
	pid_t pid;
	int pidfd;            /* readable once the check has ended */
	int fd;               /* the copy, filled by the child */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC; the caller drops the check then */
};

/* Start a process that reads the configuration named by `options`, which are those of the command
 * line, tries the stages that might not start with it, and checks that `confined` leaves the sinks
 * what they need. It prints each problem to stderr. Finish with confcopy_finish_check() or
 * confcopy_drop_check(). Return 0, or -1 with errno if the process cannot be started. */
int confcopy_begin_check(struct confcopy_check *check, const char *programs,
	const struct service_options *options, const struct confined *confined);

/* Return true if the check has ended. Then `*fd` is a filled copy, the caller's to close; or -1,
 * and `reason` says why there is none. */
bool confcopy_finish_check(struct confcopy_check *check, int *fd, char *reason, size_t size);

/* Kill the check's process and close the descriptors. The process becomes a zombie, which
 * stages_reap() reaps. */
void confcopy_drop_check(struct confcopy_check *check);

#endif
