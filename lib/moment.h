/* moment - arithmetic and JSON encoding of times in microseconds since 1970. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_MOMENT_H
#define NHM_MOMENT_H

#include "event.h"
#include "num.h"

/* Later than any time. */
#define MOMENT_NEVER UINT64_MAX

static inline uint64_t
moment_later(uint64_t at_us, uint64_t span_us)
{
	return at_us < MOMENT_NEVER - span_us ? at_us + span_us : MOMENT_NEVER;
}

/* Subtract a span, down to 0. */
static inline uint64_t
moment_earlier(uint64_t at_us, uint64_t span_us)
{
	return at_us > span_us ? at_us - span_us : 0;
}

/* Return how long to wait until a time, ns: 0 if it has passed, UINT64_MAX for MOMENT_NEVER. */
static inline uint64_t
moment_wait_ns(uint64_t until_us, uint64_t now_us)
{
	if (until_us == MOMENT_NEVER)
		return UINT64_MAX;
	return moment_earlier(until_us, now_us) * NUM_NS_PER_US;
}

/* Decode a time of a state file. Return false if it is none. */
static inline bool
moment_decode(const json_t *value, uint64_t *out_us)
{
	return rec_u64(value, out_us) == REC_OK && *out_us <= EVENT_LAST_US_MAX;
}

/* Encode a time; `none` becomes null. */
static inline json_t *
moment_encode_new(uint64_t at_us, uint64_t none)
{
	return at_us != none ? rec_u64_new(at_us) : json_null();
}

/* Decode a member that is a time, or null for `none`. Return false if it is neither. */
static inline bool
moment_accept(const json_t *object, const char *key, uint64_t none, uint64_t *out_us)
{
	const json_t *value = json_object_get(object, key);
	if (json_is_null(value)) {
		*out_us = none;
		return true;
	}
	return moment_decode(value, out_us);
}

#endif
