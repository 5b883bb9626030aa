/* follow - the kernel's log as it grows: each record once, also over restarts. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_FOLLOW_H
#define LOGMATCH_FOLLOW_H

#include "analysis.h"
#include "kmsg.h"

struct follow_position {
	bool known;
	uint64_t seq; /* of the last record that was accepted */
};

/* Accepts the records of an open log after `position`, which it moves, until a request to stop or
 * the end of what is not a device. Returns the exit code, after a message. */
int follow_run(struct kmsg *kmsg, struct analysis *analysis, struct follow_position *position);

#endif
