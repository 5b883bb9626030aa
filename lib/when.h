/* when - parses and formats times and durations for people, in UTC, as in the records. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_WHEN_H
#define NHM_WHEN_H

#include <stdint.h>

/* Parse the value of --since: a duration back from now (`90m`, `12h`, `7d`); `today` or
 * `yesterday`, meaning their midnight; a date (`2026-11-20`), or a date and a time of day
 * (`2026-11-20 18:00`, optionally with seconds); or RFC 3339 with any offset. Set `*out_ns` to
 * nanoseconds since 1970. Return NULL, or the reason for rejecting the text, with `*out_ns`
 * unchanged. */
const char *when_parse(const char *text, uint64_t now_ns, uint64_t *out_ns);

/* Size of `2026-11-20 18:00:07` with a NUL. */
#define WHEN_TIME_SIZE 20

/* Format nanoseconds since 1970 for a column of times, without fractions of a second. Return
 * `out`. */
char *when_time(uint64_t realtime_ns, char out[WHEN_TIME_SIZE]);

/* Size of the longest duration that 64 bits of nanoseconds hold, with a NUL. */
#define WHEN_SPAN_SIZE 16

/* Format a duration in its two largest units, rounded down: `45 s`, `12 min`, `3 h 12 min`, `2 d 4
 * h`. Return `out`. */
char *when_span(uint64_t ns, char out[WHEN_SPAN_SIZE]);

#endif
