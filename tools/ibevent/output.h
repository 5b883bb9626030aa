/* output - where records go. Repeats are merged first. A reader that is slow keeps nobody waiting:
 * what stdout does not take at once is dropped and counted, and a gap says how much, as soon as
 * there is room again (spec#events-drained). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_OUTPUT_H
#define IBEVENT_OUTPUT_H

#include "merger.h"
#include "metrics.h"

#include <poll.h>

/* All zeros, and these three. */
struct output {
	const char *node;
	struct metrics *metrics; /* counts what is accepted; nullable */
	bool ingero_names;       /* under those, too */
	bool waits;              /* for room: what is read can wait, too, as a file can */
	struct merger merger;
	uint64_t dropped[NOTICE_VIA_N]; /* notices that stdout had no room for */
	int error;                      /* of a write; 0: none */
};

/* Accepts a notice; its `when` is set to now. */
void output_accept(struct output *output, struct notice *notice);

/* Reports that events of a source were lost; how many is not known. */
void output_gap(struct output *output, enum notice_via via);

/* Writes what is due, and what was dropped if there is room; or with `is_last` all that is held. */
void output_expire(struct output *output, bool is_last);

/* How long that can wait, nanoseconds; UINT64_MAX: for ever. */
uint64_t output_patience_ns(const struct output *output);

/* What is to be polled: the reader's end is always noticed. */
struct pollfd output_pollfd(const struct output *output);

/* After poll(2). Sets `error` when the reader is gone. */
void output_accept_poll(struct output *output, short revents);

#endif
