/* confined - what the service keeps when it gives up all that it does not need. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_CONFINED_H
#define SUPERVISOR_CONFINED_H

#include "arguments.h"
#include "pipeline.h"

/* For good: nothing can be added when a configuration is loaded again. */
struct confined {
	bool everything;              /* it has given up nothing */
	struct arguments directories; /* in which files that are sinks can be */
};

/* Gives up all but starting the programs of a directory, and what these need; each of them gives up
 * more itself. Where a sink is a program, nobody knows what that needs, and nothing is given up.
 * Returns an exit code; what went wrong has been said. confined_fini() in both cases. */
int confined_enter(
	struct confined *confined, const char *programs, const struct service_options *options);

/* Whether the sinks of other options can work, too. False with `reason`, which is cut to `size`. */
bool confined_has_kept(const struct confined *confined, const struct service_options *options,
	char *reason, size_t size);

void confined_fini(struct confined *confined);

#endif
