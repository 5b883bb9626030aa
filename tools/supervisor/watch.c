/* watch - decides whether a running stage makes progress, when a stage that ended is restarted, and
 * until when all writers have written their events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include "num.h"

/* --- progress of running stages --- */

uint64_t
watch_limit_ns(uint64_t interval_ns, bool is_source)
{
	uint64_t least_ns = (is_source ? WATCH_SOURCE_LEAST_S : WATCH_LEAST_S) * NUM_NS_PER_S;
	if (interval_ns > UINT64_MAX / WATCH_INTERVALS)
		return UINT64_MAX;
	uint64_t limit_ns = interval_ns * WATCH_INTERVALS;
	return limit_ns > least_ns ? limit_ns : least_ns;
}

uint64_t
watch_source_limit_ns(uint64_t interval_ns, uint64_t deadline_ns)
{
	const uint64_t limit_ns = watch_limit_ns(interval_ns, false);
	const uint64_t more_ns = WATCH_REPORT_S * NUM_NS_PER_S;
	if (deadline_ns == 0)
		return limit_ns;
	uint64_t reported_ns =
		deadline_ns < UINT64_MAX - more_ns ? deadline_ns + more_ns : UINT64_MAX;
	return reported_ns > limit_ns ? reported_ns : limit_ns;
}

/* Record since when a condition holds; 0: it does not. */
static void
note_since(uint64_t *since_ns, bool holds, uint64_t now_ns)
{
	if (!holds)
		*since_ns = 0;
	else if (*since_ns == 0)
		*since_ns = now_ns;
}

bool
watch_is_gap(uint64_t looked_ns, uint64_t now_ns)
{
	return looked_ns != 0 && now_ns > looked_ns &&
	       now_ns - looked_ns > WATCH_GAP_S * NUM_NS_PER_S;
}

/* Restart all measurements after a gap. */
static void
skip_gap(struct watch *watch, uint64_t now_ns)
{
	bool is_gap = watch_is_gap(watch->looked_ns, now_ns);
	watch->looked_ns = now_ns;
	if (is_gap)
		watch->owes_since_ns = watch->full_since_ns = 0;
}

/* Return the earlier of two moments, where 0 means none. */
static uint64_t
earlier(uint64_t a_ns, uint64_t b_ns)
{
	return b_ns == 0 || (a_ns != 0 && a_ns < b_ns) ? a_ns : b_ns;
}

/* Return `limit_ns`, or more for a stage that has used the processor since its time started. An
 * unreadable clock counts as 0. */
static uint64_t
stretched_ns(const struct watch *watch, const struct watch_look *look, uint64_t limit_ns)
{
	bool is_busy = look->used_ns > watch->used_ns &&
		       look->used_ns - watch->used_ns >= limit_ns / WATCH_BUSY_PART;
	if (!is_busy)
		return limit_ns;
	return limit_ns < UINT64_MAX / WATCH_BUSY_LIMITS ? limit_ns * WATCH_BUSY_LIMITS
							 : UINT64_MAX;
}

uint64_t
watch_step(struct watch *watch, const struct watch_look *look, uint64_t limit_ns)
{
	skip_gap(watch, look->now_ns);
	if (look->ticks != watch->ticks) {
		watch->ticks = look->ticks;
		watch->feed_ticks = look->feed_ticks;
		watch->owes_since_ns = 0;
	}
	/* A scan that the feeder wrote and that is no longer in the pipe is in the stage. A
	 * restarted feeder counts from 0. */
	bool was_fed = look->feed_ticks > watch->feed_ticks;
	if (look->feed_ticks < watch->feed_ticks)
		watch->feed_ticks = look->feed_ticks;
	bool has_work = look->is_source || look->input_waits || was_fed;

	note_since(&watch->owes_since_ns, has_work && !look->output_full && !look->holding,
		look->now_ns);
	note_since(&watch->full_since_ns, look->input_full && !look->output_full && !look->holding,
		look->now_ns);
	uint64_t began_ns = earlier(watch->owes_since_ns, watch->full_since_ns);
	if (began_ns == 0)
		return 0;
	if (began_ns == look->now_ns)
		watch->used_ns = look->used_ns;
	uint64_t late_ns = look->now_ns - began_ns;
	return late_ns >= stretched_ns(watch, look, limit_ns) ? late_ns : 0;
}

/* --- restarts --- */

uint64_t
watch_restart_delay_ns(struct watch_restart *restart, uint64_t uptime_ns)
{
	if (uptime_ns >= WATCH_RESTART_HEALTHY_S * NUM_NS_PER_S)
		restart->failures = 0;

	uint64_t delay_s = WATCH_RESTART_FIRST_S;
	for (unsigned i = 0; i < restart->failures && delay_s < WATCH_RESTART_MOST_S; i++)
		delay_s *= 2;
	restart->failures++;
	return (delay_s < WATCH_RESTART_MOST_S ? delay_s : WATCH_RESTART_MOST_S) * NUM_NS_PER_S;
}

/* --- the moment up to which all writers have written --- */

uint64_t
watch_writers_looked_ns(const struct watch_writer *looks, size_t count, uint64_t now_ns)
{
	uint64_t oldest_ns = now_ns;
	for (size_t i = 0; i < count; i++) {
		const struct watch_writer *look = &looks[i];
		if (!look->returns)
			continue;
		/* The page still has the previous process' value, or one that is not a past
		 * time. */
		if (!look->runs || look->looked_ns < look->started_ns || look->looked_ns > now_ns)
			return WATCH_WRITERS_AWAITED;
		if (look->looked_ns < oldest_ns)
			oldest_ns = look->looked_ns;
	}
	return oldest_ns > WATCH_WRITERS_AWAITED ? oldest_ns : WATCH_WRITERS_AWAITED;
}
