/* nodeoptions - the options that say where the node's files are and how it is judged: those that
 * nic-health-monitor and niccheck(1) share. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_NODEOPTIONS_H
#define SUPERVISOR_NODEOPTIONS_H

#include "pipeline.h"

#include "opt.h"

enum { NODEOPTIONS_N = 10 };

/* About a struct service_options, which is not to be moved then: it may point into itself. Values
 * are kept, not copied. */
extern const struct opt_spec nodeoptions[NODEOPTIONS_N];

/* When all options are known: 0, or the exit code after a line on stderr when the node has no name
 * that records can have. */
int nodeoptions_check_name(const struct service_options *service);

/* Reports on stderr which names of --checks are left out. */
void nodeoptions_warn(const struct service_options *service);

#endif
