/* derive - formats a finding as an event (spec#derived-events). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_DERIVE_H
#define CORRELATE_DERIVE_H

#include "engine.h"

/* Return the finding as the next event of the stream, to be released with json_decref(), or NULL if
 * it does not fit into an event. */
json_t *derive_new(struct event_stream *stream, const struct finding *finding);

/* Return an event that ends all earlier conditions of a check on the stream's node. NULL as
 * above. */
json_t *derive_clear_new(struct event_stream *stream, const char *check, const char *stamp);

#endif
