/* counter - when a counter's growth is an event: SPEC section 4.1, as pure functions. */
#ifndef CTREVAL_COUNTER_H
#define CTREVAL_COUNTER_H

#include "check.h"
#include "clock.h"
#include "counters.h"

/* A counter at a moment. */
struct counter_sample {
	uint64_t value;
	uint64_t boottime_ns;
};

/* Whether a counter stands at the end of its width. */
enum saturation {
	SATURATION_NONE,
	SATURATION_SUSPECTED, /* it was at its maximum when first seen */
	SATURATION_REPORTED,
};

/* What was said about a breach that still stands. */
struct breach {
	enum check check;
	bool fatal;
	char since[CLOCK_STAMP_SIZE]; /* of the scan that showed it */
	char *message; /* from malloc; NULL: not known, as in a file of the original */
};

/* What is remembered of one counter of one port. All zeros: never seen. */
struct counter_memory {
	bool seen;
	struct counter_sample snapshot; /* where the current window began */
	bool wall; /* snapshot.boottime_ns is nanoseconds since 1970: a file of the original knows no other time */
	bool has_previous;
	uint64_t previous; /* value of the scan before */
	bool breached; /* latched until a reset, a reboot, or until nobody watches it any more */
	struct breach breach;
	enum saturation saturation;
};

enum counter_verdict {
	COUNTER_QUIET,
	COUNTER_BREACH,
	COUNTER_RECOVERY,
};

/* Why the verdict is what it is. */
enum counter_why {
	COUNTER_FIRST_SEEN,
	COUNTER_WAS_RESET,
	COUNTER_TIME_STOOD, /* no later than its snapshot: no rate can be measured */
	COUNTER_LATCHED,    /* in breach already */
	COUNTER_WINDOW_OPEN,
	COUNTER_WITHIN,
	COUNTER_EXCEEDED,
	COUNTER_EXCEEDED_EARLY, /* the window is not over, and its whole allowance is used up */
};

/* The verdict and what it rests on. */
struct counter_finding {
	enum counter_verdict verdict;
	enum counter_why why;
	struct counter_sample snapshot; /* as it was before */
	uint64_t elapsed_ns;            /* since the snapshot; 0 where nothing was measured */
	uint64_t delta;                 /* growth since the snapshot */
	double rate;                    /* delta per counter_rate_unit() */
};

/* The unit that rates of this counter are in: its own, but seconds for a delta counter, whose unit means nothing. */
enum counter_unit counter_rate_unit(const struct counter_def *def);

/* True when the counter has gone down since it was last seen. */
bool counter_is_reset(const struct counter_memory *memory, uint64_t value);

/* Takes one sample in: returns what is to be said about it, and updates `memory` but for its breach's details. Samples must come in the
 * order of time; of one that is not later than the snapshot no rate can be measured, and an earlier one becomes the new snapshot. */
struct counter_finding counter_step(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now);

/* Takes one sample in without judging it, while the first scan's verdicts wait: the first value seen becomes the snapshot, so that what
 * happens meanwhile, the end of a breach too, is judged later. */
void counter_watch(struct counter_memory *memory, const struct counter_sample *now);

enum saturation_verdict { SATURATION_QUIET, SATURATION_STANDS, SATURATION_ENDED };

/* Whether a counter that was at its `maximum` (counter_maximum(), not 0) when first seen has not moved since, or moves again. To be called
 * before counter_step() with the same value. */
enum saturation_verdict saturation_step(
	struct counter_memory *memory, uint64_t maximum, uint64_t value);

#endif
