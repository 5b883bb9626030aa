/* content - what a state file contains, and the settings that decoding it depends on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CONTENT_H
#define CTREVAL_CONTENT_H

#include "counters.h"
#include "outbox.h"
#include "state.h"

#define STATEFILE_VERSION 1

/* Everything that must survive a restart. */
struct statefile {
	struct state *state;
	struct event_stream *stream; /* source "": none yet */
	struct outbox *outbox;
	/* conditions in the original's file that no check here can withdraw, as text to free();
	 * NULL: none */
	char *left_out;
};

/* Settings that decoding a state file depends on. */
struct statefile_rules {
	const struct counter_list *counters;
	bool counter_detection;
	bool fatal_counters_as_degradation;
};

#endif
