/* service - the stages kept running: pipes held open, deaths noticed, starts repeated, and an
 * orderly end. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SERVICE_H
#define SUPERVISOR_SERVICE_H

#include "pipeline.h"

/* SIGTERM and SIGHUP wait for service_run from now on: a reload that is asked for while the node is
 * looked at does not end the service, and the first process of a container, which nothing ends by
 * default, does not miss that it is to end. 0, or -1 with errno. */
int service_hold_signals(void);

/* Runs the pipeline, whose programs are in directory `programs`, until SIGTERM or SIGINT, or until
 * a stage that it cannot do without fails for good. Returns the exit code: 0 after a signal, else
 * the failed stage's. */
int service_run(const char *programs, const struct service_options *options);

#endif
