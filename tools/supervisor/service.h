/* service - the main loop: signals, stages, HTTP and the poll of everything once per interval. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SERVICE_H
#define SUPERVISOR_SERVICE_H

#include "pipeline.h"

/* Block SIGTERM and SIGHUP until service_run(). So a reload requested during pre-flight does not
 * kill the service, and SIGTERM is not lost where the service is a container's first process, which
 * ignores it by default. Return 0, or -1 with errno. */
int service_hold_signals(void);

/* Run the pipeline, whose programs are in directory `programs`, until SIGTERM or SIGINT, or until a
 * required stage fails permanently. Return the exit code: after a signal 0, or EXIT_UNAVAILABLE if
 * events may be lost; else the failed stage's, or EXIT_OS. */
int service_run(const char *programs, const struct service_options *options);

#endif
