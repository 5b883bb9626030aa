/* follow - follows the kernel's log and processes each record once, also across restarts. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_FOLLOW_H
#define LOGMATCH_FOLLOW_H

#include "analysis.h"
#include "kmsg.h"

struct follow_position {
	bool known;
	uint64_t seq; /* last record accepted */
};

/* Accept the records of an open log after `position` and advance it, until a stop request or the
 * end of an input that is no device. Return the exit code, after a message. */
int follow_run(struct kmsg *kmsg, struct analysis *analysis, struct follow_position *position);

#endif
