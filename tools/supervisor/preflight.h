/* preflight - checks that everything is there that the service needs, before it starts any stage,
 * and before it ends those that run for a new configuration. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PREFLIGHT_H
#define SUPERVISOR_PREFLIGHT_H

#include "pipeline.h"

enum preflight_mode {
	PREFLIGHT_START, /* what the stages will say themselves is left to them */
	/* nothing will be started: all is said, and the configuration in force goes to stdout */
	PREFLIGHT_CHECK,
	/* only what would stop a stage that is started with the configuration as it is now */
	PREFLIGHT_RELOAD,
};

/* Looks at the programs in directory `programs`, the configuration, this node and the options, and
 * says all that is wrong, each as one line. Changes nothing, but that before a start the state
 * file's directory is made; and takes some ten seconds at worst; for a reload the caller sets a
 * limit. Returns 0 when the service can start, else the exit code to end with. */
int preflight_run(
	const char *programs, const struct service_options *options, enum preflight_mode mode);

#endif
