/* derive - what the engine has found, as an event (spec#derived-events). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_DERIVE_H
#define CORRELATE_DERIVE_H

#include "engine.h"

/* Who says so: NVSentinel's name for what finds patterns in events. */
#define DERIVE_AGENT "health-events-analyzer"

/* Formats it as the next event of the stream, see event_format(). */
size_t derive_format(struct event_stream *stream, const struct finding *finding,
	char out[REC_EVENT_MAX_BYTES + 1]);

#endif
