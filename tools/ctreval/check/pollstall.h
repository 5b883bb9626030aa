/* pollstall - whether the node's NICs can be observed at all (spec#poll-stall). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_POLLSTALL_H
#define CTREVAL_POLLSTALL_H

#include "evaluation.h"

/* What is under way and does not end, and what has ended. */
struct pollstall_sight {
	/* for how long states, or counters, have been being read: the longest of all; 0: none is */
	uint64_t state_ms, counter_ms;
	bool completed; /* a scan that lost no record could list the devices, and none is in
			 * flight */
};

enum pollstall_action {
	POLLSTALL_REPORT_NOTHING,
	POLLSTALL_REPORT_STALL,
	POLLSTALL_REPORT_HEALTHY,
};

/* What to do about a sight, and what to remember. `deadline_ns` 0: nothing counts as a stall. */
enum pollstall_action pollstall_step(
	struct pollstall_memory *memory, const struct pollstall_sight *sight, uint64_t deadline_ns);

/* Judges the scan. */
void pollstall_eval(struct evaluation *evaluation);

/* Judges a scan that does not get on. The evaluation has none. */
void pollstall_eval_unfinished(
	struct evaluation *evaluation, const struct scanrec_stall *unfinished);

#endif
