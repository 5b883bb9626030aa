/* nodeoptions - the options that nic-health-monitor and niccheck(1) share: where the node's files
 * are and how the node is evaluated. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_NODEOPTIONS_H
#define SUPERVISOR_NODEOPTIONS_H

#include "pipeline.h"

#include "opt.h"

enum { NODEOPTIONS_N = 10 };

/* The target is a struct service_options, which must not move afterwards: it may point into itself.
 * Values are kept, not copied. */
extern const struct opt_spec nodeoptions[NODEOPTIONS_N];

/* Check the node's name after all options were parsed. Return 0, or an exit code after printing
 * that records cannot have that name. */
int nodeoptions_check_name(const struct service_options *service);

/* Warn about unknown names in --checks. */
void nodeoptions_warn(const struct service_options *service);

#endif
