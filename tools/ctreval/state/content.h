/* content - what a state file holds, and what counts when it is read. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CONTENT_H
#define CTREVAL_CONTENT_H

#include "counters.h"
#include "outbox.h"
#include "state.h"

#define STATEFILE_VERSION 1

/* Everything that a restart needs. */
struct statefile {
	struct state *state;
	struct event_stream *stream; /* source "": none yet */
	struct outbox *outbox;
	/* what of a file of the original stands and nobody here can take back, to free(); NULL:
	 * nothing */
	char *left_out;
};

/* What counts when a content is taken. */
struct statefile_rules {
	const struct counter_list *counters;
	bool counter_detection;
	bool fatal_counters_as_degradation;
};

#endif
