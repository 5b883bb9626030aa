/* merger - repeats of a notice become a count: the first is passed on at once, and what follows it
 * within 100 ms is passed on as one. The order of what happened stays: whenever one notice is
 * passed on, all that was held before it is passed on first (spec#events-merged). Pure; times are
 * CLOCK_BOOTTIME. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_MERGER_H
#define IBEVENT_MERGER_H

#include "notice.h"

#include <stddef.h>

/* How long repeats are held, nanoseconds. */
#define MERGER_WINDOW_NS (UINT64_C(100) * 1000 * 1000)

/* Different notices that are remembered at a time; further ones are passed on as they come. */
#define MERGER_MAX 256

struct merger_entry {
	struct notice notice; /* as it was last, with the count of what is held */
	uint64_t since_ns;    /* when its window began */
	bool holds;           /* a repeat waits */
};

/* All zeros: empty. In the order in which each was seen last. */
struct merger {
	struct merger_entry entries[MERGER_MAX];
	size_t count;
};

/* Gets what is passed on, in order. */
typedef void merger_pass(void *context, const struct notice *notice);

/* Accepts a notice, whose `when` is now. */
void merger_accept(
	struct merger *merger, const struct notice *notice, merger_pass *pass, void *context);

/* Passes on what is due. */
void merger_expire(struct merger *merger, uint64_t now_ns, merger_pass *pass, void *context);

/* Passes on all that is held. */
void merger_flush(struct merger *merger, uint64_t now_ns, merger_pass *pass, void *context);

/* When merger_expire() is to be called, UINT64_MAX: nothing is held. */
uint64_t merger_deadline_ns(const struct merger *merger);

#endif
