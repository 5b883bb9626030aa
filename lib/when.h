/* when - moments and spans of time as people type and read them. Pure. Everything is UTC, as in the
 * records. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_WHEN_H
#define NHM_WHEN_H

#include <stdint.h>

/* Takes what --since says: a duration back from now (`90m`, `12h`, `7d`); `today` or `yesterday`,
 * from midnight on; a date (`2026-11-20`), or a date and a time of day (`2026-11-20 18:00`, with
 * seconds if need be); or RFC 3339 with any offset. `*out_ns` gets nanoseconds since 1970. Returns
 * NULL, or the reason why the text will not do, and `*out_ns` is as it was. */
const char *when_parse(const char *text, uint64_t now_ns, uint64_t *out_ns);

/* Room for `2026-11-20 18:00:07` and a NUL. */
#define WHEN_TIME_SIZE 20

/* Nanoseconds since 1970 for a column of times: what is below a second is left out. Returns
 * `out`. */
char *when_time(uint64_t realtime_ns, char out[WHEN_TIME_SIZE]);

/* Room for the days of 64 bits of nanoseconds, and a NUL. */
#define WHEN_SPAN_SIZE 16

/* A span as one would say it, in its two largest units, rounded down: `45 s`, `12 min`, `3 h 12
 * min`, `2 d 4 h`. Returns `out`. */
char *when_span(uint64_t ns, char out[WHEN_SPAN_SIZE]);

#endif
