/* merger - merges repeats of a notice into a count: passes on the first at once, and those that
 * follow within 100 ms as one. Keeps the order: before a notice is passed on, all held ones are
 * (spec#events-merged). Pure; times are CLOCK_BOOTTIME. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_MERGER_H
#define IBEVENT_MERGER_H

#include "notice.h"
#include "num.h"

#include <stddef.h>

/* How long repeats are held, ns. */
#define MERGER_WINDOW_NS (100 * NUM_NS_PER_MS)

/* Different notices remembered at a time; further ones are passed on without merging. */
#define MERGER_MAX 256

struct merger_entry {
	struct notice notice; /* the last occurrence; `count` is that of the held repeats */
	uint64_t since_ns;    /* start of its window */
	bool holds;           /* repeats are held */
};

/* All zeros: empty. Entries are in the order of their last occurrence. */
struct merger {
	struct merger_entry entries[MERGER_MAX];
	size_t count;
};

/* Receives the notices that are passed on, in order. */
typedef void merger_pass(void *context, const struct notice *notice);

/* Accept a notice whose `when` is now. */
void merger_accept(
	struct merger *merger, const struct notice *notice, merger_pass *pass, void *context);

/* Pass on all held repeats if one of them is due. */
void merger_expire(struct merger *merger, uint64_t now_ns, merger_pass *pass, void *context);

/* Pass on all held repeats. */
void merger_flush(struct merger *merger, uint64_t now_ns, merger_pass *pass, void *context);

/* Return when to call merger_expire(); UINT64_MAX: nothing is held. */
uint64_t merger_deadline_ns(const struct merger *merger);

#endif
