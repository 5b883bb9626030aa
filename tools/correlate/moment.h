/* moment - moments in microseconds since 1970, and what comes after them. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_MOMENT_H
#define CORRELATE_MOMENT_H

#include "event.h"

/* Later than all others. */
#define MOMENT_NEVER UINT64_MAX

static inline uint64_t
moment_later(uint64_t at_us, uint64_t span_us)
{
	return at_us < MOMENT_NEVER - span_us ? at_us + span_us : MOMENT_NEVER;
}

/* The first moment is 0. */
static inline uint64_t
moment_earlier(uint64_t at_us, uint64_t span_us)
{
	return at_us > span_us ? at_us - span_us : 0;
}

/* A moment in a state file. False when it is none. */
static inline bool
moment_decode(const json_t *value, uint64_t *out_us)
{
	return rec_u64(value, out_us) == REC_OK && *out_us <= EVENT_LAST_US_MAX;
}

#endif
