/* replay - sends events of a spool again as if they were new, and reports the results. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_REPLAY_H
#define NICHIST_REPLAY_H

#include "../emit/run.h"
#include "list.h"

/* Send the events that `history` selects, or those with `ids` (NULL-terminated), to the sinks of
 * `options`, and report the results of each sink. Dead letters of these sinks are removed from the
 * spool once delivered; those of other sinks stay. Return the exit code. */
int replay(struct run_options *options, const struct history_options *history, char **ids);

#endif
