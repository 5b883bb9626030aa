/* follow - polls a file that each new read replaces. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_FOLLOW_H
#define NHM_LNETREAD_FOLLOW_H

#include "metrics.h"
#include "pass.h"

#include <stdint.h>

/* Check the file every `interval_ns` and write the records of its reads whenever it was replaced or
 * has changed, until the program is asked to stop (stop_catch()). Warn about a file that is missing
 * or that others may write to, and wait for it to change. Report progress in `metrics`, which may
 * be NULL. Return 0, or the exit code of a fatal error, which has been printed. */
int follow(struct pass *pass, const char *path, uint64_t interval_ns, struct metrics *metrics);

#endif
