/* follow - a file that others replace by each new read. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_FOLLOW_H
#define NHM_LNETREAD_FOLLOW_H

#include "metrics.h"
#include "pass.h"

#include <stdint.h>

/* Looks at the file every `interval_ns`, and passes on what is in it when it is another one or has
 * changed, until the program is asked to stop (stop_catch()). A file that is missing is waited for.
 * `metrics`, nullable, shows that it gets on. 0, or the exit code of a failure that ends the
 * program, which has been said. */
int follow(struct pass *pass, const char *path, uint64_t interval_ns, struct metrics *metrics);

#endif
