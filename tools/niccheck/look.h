/* look - one check of the node (spec#one-look): a few scans through the stages, one after the
 * other, a verdict and an exit code. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_LOOK_H
#define NICCHECK_LOOK_H

#include "options.h"

/* Check the node and print the result to stdout. `programs` is the directory of the stages. Return
 * 0 healthy, 1 fatal, 2 degraded, 3 unknown (with --npd: 0 healthy, 1 not healthy, 2 unknown), or
 * another exit code if no check was possible. */
int look_run(const char *programs, const struct options *options);

#endif
