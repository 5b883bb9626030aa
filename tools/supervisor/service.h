/* service - the stages kept running: pipes held open, deaths noticed, starts repeated, and an orderly end. */
#ifndef SUPERVISOR_SERVICE_H
#define SUPERVISOR_SERVICE_H

#include "pipeline.h"

/* Runs the pipeline, whose programs are in directory `programs`, until SIGTERM, SIGINT or SIGHUP, or until a stage that it
 * cannot do without fails for good. Returns the exit code: 0 after a signal, else the failed stage's. */
int service_run(const char *programs, const struct service_options *options);

#endif
