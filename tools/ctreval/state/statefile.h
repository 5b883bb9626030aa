/* statefile - the state as JSON and back (spec#state-file). Pure: no I/O. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATEFILE_H
#define CTREVAL_STATEFILE_H

#include "content.h"

/* The file's content, as a record is now: `ts` and `boottime_ns` give the snapshots' times for
 * people. From malloc; NULL when memory ran out. */
char *statefile_encode_new(const struct statefile *file, const struct counter_list *counters,
	const char *ts, uint64_t boottime_ns);

/* Takes a file's content into an empty state, stream and outbox: one of ours, or of the original
 * (original.h). Fields that are missing, as in a file of the original, are as in an empty state.
 * Counters that the rules do not have enabled are forgotten, but for their breaches, which become
 * orphans. 0, or -1 with `*error` when the content is neither, and then nothing of it may be
 * used. */
int statefile_decode(const json_t *root, const struct statefile_rules *rules,
	struct statefile *file, struct rec_error *error);

#endif
