/* counter - when a counter's growth is an event: SPEC section 4.1. */
#include "counter.h"

enum counter_unit
counter_rate_unit(const struct counter_def *def)
{
	return def->type == COUNTER_DELTA ? COUNTER_PER_SECOND : def->unit;
}

/* Growth from the snapshot to now. */
static struct counter_finding
measure(const struct counter_def *def, const struct counter_sample *snapshot,
	const struct counter_sample *now)
{
	uint64_t delta = now->value - snapshot->value;
	uint64_t elapsed_ns = now->boottime_ns > snapshot->boottime_ns
				      ? now->boottime_ns - snapshot->boottime_ns
				      : 0;
	double units = (double)elapsed_ns / (double)counter_unit_ns(counter_rate_unit(def));
	double rate = elapsed_ns > 0 ? (double)delta / units : 0;
	return (struct counter_finding){
		.verdict = COUNTER_QUIET,
		.why = COUNTER_WITHIN,
		.snapshot = *snapshot,
		.elapsed_ns = elapsed_ns,
		.delta = delta,
		.rate = rate,
	};
}

static struct counter_finding
step_delta(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now)
{
	struct counter_finding finding = measure(def, &memory->snapshot, now);
	if ((double)finding.delta > def->threshold) {
		finding.verdict = COUNTER_BREACH;
		finding.why = COUNTER_EXCEEDED;
	}
	memory->snapshot = *now;
	return finding;
}

/* Nothing is said before the window is over, and nothing is extrapolated: 3 errors in the first second are not 10800
 * in an hour. With early_breach a count that already exceeds the whole window's is enough. */
static struct counter_finding
step_velocity(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now)
{
	struct counter_finding finding = measure(def, &memory->snapshot, now);

	if (finding.elapsed_ns >= counter_unit_ns(def->unit)) {
		if (finding.rate > def->threshold)
			finding.why = COUNTER_EXCEEDED;
	} else {
		finding.why = def->early_breach && (double)finding.delta > def->threshold
				      ? COUNTER_EXCEEDED_EARLY
				      : COUNTER_WINDOW_OPEN;
	}
	if (finding.why == COUNTER_EXCEEDED || finding.why == COUNTER_EXCEEDED_EARLY)
		finding.verdict = COUNTER_BREACH;
	if (finding.why != COUNTER_WINDOW_OPEN)
		memory->snapshot = *now;
	return finding;
}

bool
counter_is_reset(const struct counter_memory *memory, uint64_t value)
{
	/* The scan before is the better witness; after a restart there is only the snapshot. */
	return memory->seen &&
	       value < (memory->has_previous ? memory->previous : memory->snapshot.value);
}

struct counter_finding
counter_step(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now)
{
	struct counter_finding quiet = {.verdict = COUNTER_QUIET, .snapshot = memory->snapshot};
	bool first = !memory->seen;
	bool reset = counter_is_reset(memory, now->value);

	memory->seen = true;
	memory->has_previous = true;
	memory->previous = now->value;
	if (first || reset) {
		quiet.why = first ? COUNTER_FIRST_SEEN : COUNTER_WAS_RESET;
		if (reset && memory->breached)
			quiet.verdict = COUNTER_RECOVERY;
		memory->breached = memory->breached && !reset;
		memory->snapshot = *now;
		return quiet;
	}
	if (memory->breached) {
		/* Nothing is measured; but a reset during a restart is seen by the last value known. */
		quiet.why = COUNTER_LATCHED;
		memory->snapshot = *now;
		return quiet;
	}
	/* A rate needs time, and growth does not. */
	if (def->type == COUNTER_VELOCITY && now->boottime_ns <= memory->snapshot.boottime_ns) {
		quiet.why = COUNTER_TIME_STOOD;
		if (now->boottime_ns < memory->snapshot.boottime_ns)
			memory->snapshot = *now;
		return quiet;
	}
	struct counter_finding finding = def->type == COUNTER_DELTA
						 ? step_delta(def, memory, now)
						 : step_velocity(def, memory, now);
	memory->breached = finding.verdict == COUNTER_BREACH;
	return finding;
}

void
counter_watch(struct counter_memory *memory, const struct counter_sample *now)
{
	bool reset = counter_is_reset(memory, now->value);
	/* That ends the breach, which is for counter_step() to find: by what was there before. */
	if (reset && memory->breached)
		return;
	if (!memory->seen || reset || memory->breached)
		memory->snapshot = *now;
	memory->seen = true;
	memory->has_previous = true;
	memory->previous = now->value;
}

enum saturation_verdict
saturation_step(struct counter_memory *memory, uint64_t maximum, uint64_t value)
{
	bool at_maximum = value == maximum;
	enum saturation before = memory->saturation;

	if (!memory->seen)
		memory->saturation = at_maximum ? SATURATION_SUSPECTED : SATURATION_NONE;
	else if (before != SATURATION_NONE)
		memory->saturation = at_maximum ? SATURATION_REPORTED : SATURATION_NONE;
	if (memory->saturation == before || memory->saturation == SATURATION_SUSPECTED)
		return SATURATION_QUIET;
	if (memory->saturation == SATURATION_REPORTED)
		return SATURATION_STANDS;
	return before == SATURATION_REPORTED ? SATURATION_ENDED : SATURATION_QUIET;
}
