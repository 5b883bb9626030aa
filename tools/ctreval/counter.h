/* counter - when a counter's growth is an event: SPEC section 4.1, steps 3 to 7, as a pure function. */
#ifndef CTREVAL_COUNTER_H
#define CTREVAL_COUNTER_H

#include "counters.h"

#include <stdbool.h>
#include <stdint.h>

/* A counter at a moment. */
struct counter_sample {
	uint64_t value;
	uint64_t boottime_ns;
};

/* What is remembered of one counter of one port. All zeros: never seen. */
struct counter_memory {
	bool seen;
	struct counter_sample snapshot; /* where the current window began */
	bool has_previous;
	uint64_t previous; /* value of the scan before */
	bool breached;     /* latched until a reset */
};

enum counter_verdict {
	COUNTER_QUIET,
	COUNTER_BREACH,
	COUNTER_RECOVERY,
};

/* The verdict and, for a breach, what it rests on. */
struct counter_finding {
	enum counter_verdict verdict;
	uint64_t delta; /* growth since the snapshot */
	double rate;    /* delta per counter_rate_unit() */
};

/* The unit that rates of this counter are in: its own, but seconds for a delta counter, whose unit means nothing. */
enum counter_unit counter_rate_unit(const struct counter_def *def);

/* Takes one sample in: returns what is to be said about it, and updates `memory`. Samples must come in the order of
 * time; one that is not later than the snapshot only becomes the new snapshot. */
struct counter_finding counter_step(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now);

#endif
