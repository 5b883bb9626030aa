/* replay - events of a spool, sent again as if they had just come; and the report about that. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICHIST_REPLAY_H
#define NICHIST_REPLAY_H

#include "../emit/run.h"
#include "list.h"

/* Sends the events that `history` chooses, or those with `ids` (NULL-terminated), to the sinks of
 * `options`, and says for each sink what has become of them. Dead letters of such a sink are taken
 * out of the spool when they have arrived; those of others stay. Returns the exit code. */
int replay(struct run_options *options, const struct history_options *history, char **ids);

#endif
