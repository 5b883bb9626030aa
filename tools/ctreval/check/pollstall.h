/* pollstall - whether the node's NICs can be observed (spec#poll-stall). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_POLLSTALL_H
#define CTREVAL_POLLSTALL_H

#include "evaluation.h"

/* Reads in flight, and completed scans. */
struct pollstall_sight {
	/* age of the oldest read of states, or counters; 0: none in flight */
	uint64_t state_ms, counter_ms;
	/* the scan is whole, listed the devices, and no read is in flight; before the first
	 * verdicts only while a stall is reported */
	bool completed;
};

enum pollstall_action {
	POLLSTALL_REPORT_NOTHING,
	POLLSTALL_REPORT_STALL,
	POLLSTALL_REPORT_HEALTHY,
};

/* Update the memory by a sight and return what to report. `deadline_ns` 0: nothing is a stall. */
enum pollstall_action pollstall_step(
	struct pollstall_memory *memory, const struct pollstall_sight *sight, uint64_t deadline_ns);

/* Evaluate a scan. */
void pollstall_eval(struct evaluation *evaluation);

/* Evaluate a stalled scan. evaluation->scan is NULL. */
void pollstall_eval_unfinished(
	struct evaluation *evaluation, const struct scanrec_stall *unfinished);

/* Withdraw the event that NICs cannot be observed, if it is active. The next sight decides anew. */
void pollstall_withdraw(struct evaluation *evaluation);

#endif
