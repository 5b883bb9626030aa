/* portmetrics - the metrics of single ports, and of their devices and cards. Decides nothing; of
 * the state it changes only port_entry.down_ns.
 *
 * `metrics` must not be NULL. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_PORTMETRICS_H
#define CTREVAL_PORTMETRICS_H

#include "check/eval.h"
#include "metricsgroup.h"
#include "state/standing.h"

/* Count the result's fatal events about states, its blips and its breaches. */
void portmetrics_count_events(struct metrics *metrics, const struct eval_result *result);

/* Create the series of everything in the state at 0: increase() does not count the event with which
 * a series begins. */
void portmetrics_begin_series(
	struct metrics *metrics, const struct eval_setting *setting, const struct state *state);

/* Return a sum that changes with the series that portmetrics_begin_series() creates. `port_set`:
 * that of the tally of this state. */
uint64_t portmetrics_sum_series(const struct state *state, uint64_t port_set);

/* Add to the group the value and growth of an open condition's counter, or how often its flapping
 * link went down. Other conditions add nothing. */
void portmetrics_show_growth(
	struct metrics *metrics, struct metricsgroup *growth, const struct standing *condition);

/* Show for each port that is held back for how long, as one round of the group. `now_ns`: start of
 * the scan, CLOCK_BOOTTIME. */
void portmetrics_show_held(struct metrics *metrics, struct metricsgroup *held,
	const struct state *state, uint64_t now_ns);

/* Add the time that the scan's watched ports were down since their last read, and set their
 * down_ns. */
void portmetrics_count_down(struct metrics *metrics, const struct scan *scan, struct state *state);

#endif
