/* look - one look at the node (spec#one-look): a few scans through the stages, one after the other,
 * a verdict and an exit code. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_LOOK_H
#define NICCHECK_LOOK_H

#include "options.h"

/* `programs` is the directory of the stages. Prints what it finds to stdout. Returns 0 healthy, 1
 * fatal, 2 degraded, 3 unknown, or another exit code when there was no check at all. */
int look_run(const char *programs, const struct options *options);

#endif
