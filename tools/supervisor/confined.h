/* confined - confines the service: gives up every right that it and its sinks do not need. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_CONFINED_H
#define SUPERVISOR_CONFINED_H

#include "arguments.h"
#include "pipeline.h"

/* The rights that remain. They cannot be extended when the configuration is reloaded. */
struct confined {
	bool everything;              /* nothing was given up */
	struct arguments directories; /* those where sinks can write files */
};

/* Give up all rights but those to start the programs of directory `programs`, which confine
 * themselves further, and those that these need. If a sink is a program, give up nothing, since its
 * needs are unknown. Return 0 or an exit code; errors have been printed. Call confined_fini() in
 * both cases. */
int confined_enter(
	struct confined *confined, const char *programs, const struct service_options *options);

/* Return true if the sinks of `options` can work with the remaining rights. Otherwise print an
 * error. This examines the files of sinks, so it may take as long as a disk that hangs. */
bool confined_has_kept(const struct confined *confined, const struct service_options *options);

void confined_fini(struct confined *confined);

#endif
