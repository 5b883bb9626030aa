/* confined - what the service keeps when it gives up all that it does not need. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_CONFINED_H
#define SUPERVISOR_CONFINED_H

#include "pipeline.h"

/* Gives up all but starting the programs of a directory, and what these need; each of them gives up
 * more itself. Returns an exit code; what went wrong has been said. */
int confined_enter(const char *programs, const struct service_options *options);

#endif
