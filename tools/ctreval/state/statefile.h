/* statefile - encodes and decodes the state file (spec#state-file). Pure: no I/O. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATEFILE_H
#define CTREVAL_STATEFILE_H

#include "content.h"

/* Encode the state file. `ts` and `boottime_ns` are the time of the current record; wall-clock
 * times of snapshots are computed from them. Return a string from malloc; NULL when memory ran
 * out. */
char *statefile_encode_new(const struct statefile *file, const struct counter_list *counters,
	const char *ts, uint64_t boottime_ns);

/* Decode a file of ctreval or of the original (original.h) into an empty state, stream and outbox.
 * Members that are missing, as in a file of the original, leave the defaults. Counters that the
 * rules do not enable are dropped; their breaches become orphans. Return 0, or -1 with `*error` if
 * the file is neither: then use nothing of it. */
int statefile_decode(const json_t *root, const struct statefile_rules *rules,
	struct statefile *file, struct rec_error *error);

#endif
