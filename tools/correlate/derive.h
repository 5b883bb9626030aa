/* derive - what the engine has found, as an event (spec#derived-events). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_DERIVE_H
#define CORRELATE_DERIVE_H

#include "engine.h"

/* It as the next event of the stream, to be given back with json_decref(). NULL when it does not
 * fit into an event. */
json_t *derive_new(struct event_stream *stream, const struct finding *finding);

/* An event that takes back all that was found of a check at the stream's node. */
json_t *derive_clear_new(struct event_stream *stream, const char *check, const char *stamp);

#endif
