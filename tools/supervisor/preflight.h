/* preflight - checks that the service has everything it needs, before it starts any stage and
 * before it stops stages for a new configuration. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PREFLIGHT_H
#define SUPERVISOR_PREFLIGHT_H

#include "pipeline.h"

enum preflight_mode {
	PREFLIGHT_START, /* without the problems that the stages report when they start */
	/* nothing is started: report everything, and print the configuration to stdout */
	PREFLIGHT_CHECK,
	/* only what would make a stage fail with the configuration as it is now */
	PREFLIGHT_RELOAD,
};

/* Check the programs in directory `programs`, the configuration, this node and the options, and
 * print each problem as one line. Changes nothing, except that before a start it creates the
 * directories of the state files. Takes some ten seconds at worst; for a reload the caller sets the
 * time limit. Return 0 if the service can start, else its exit code. */
int preflight_run(
	const char *programs, const struct service_options *options, enum preflight_mode mode);

#endif
