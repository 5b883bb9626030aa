/* counter - when a counter's growth is an event: SPEC section 4.1, steps 3 to 7. */
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
	double units = (double)(now->boottime_ns - snapshot->boottime_ns) /
		       (double)counter_unit_ns(counter_rate_unit(def));
	return (struct counter_finding){
		.verdict = COUNTER_QUIET, .delta = delta, .rate = (double)delta / units};
}

static struct counter_finding
step_delta(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now)
{
	struct counter_finding finding = measure(def, &memory->snapshot, now);
	if ((double)finding.delta > def->threshold)
		finding.verdict = COUNTER_BREACH;
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
	bool over = now->boottime_ns - memory->snapshot.boottime_ns >= counter_unit_ns(def->unit);

	if (over ? finding.rate > def->threshold
		 : def->early_breach && (double)finding.delta > def->threshold)
		finding.verdict = COUNTER_BREACH;
	if (over || finding.verdict == COUNTER_BREACH)
		memory->snapshot = *now;
	return finding;
}

struct counter_finding
counter_step(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now)
{
	struct counter_finding quiet = {.verdict = COUNTER_QUIET};
	bool first = !memory->seen;
	/* The scan before is the better witness; after a restart there is only the snapshot. */
	uint64_t before = memory->has_previous ? memory->previous : memory->snapshot.value;
	bool reset = !first && now->value < before;

	memory->seen = true;
	memory->has_previous = true;
	memory->previous = now->value;
	if (reset && memory->breached) {
		memory->breached = false;
		memory->snapshot = *now;
		quiet.verdict = COUNTER_RECOVERY;
		return quiet;
	}
	/* Time that stands still or runs back (a capture put together by hand) measures nothing. */
	if (first || reset ||
		(!memory->breached && now->boottime_ns <= memory->snapshot.boottime_ns)) {
		memory->snapshot = *now;
		return quiet;
	}
	if (memory->breached)
		return quiet;

	struct counter_finding finding = def->type == COUNTER_DELTA
						 ? step_delta(def, memory, now)
						 : step_velocity(def, memory, now);
	memory->breached = finding.verdict == COUNTER_BREACH;
	return finding;
}
