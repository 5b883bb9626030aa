/* clock - the two times every record carries: one for arithmetic, one for people. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CLOCK_H
#define NHM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Room for `2026-01-02T03:04:05.678901Z` and a NUL. */
#define CLOCK_STAMP_SIZE 28

/* A moment as records show it. */
struct clock_moment {
	uint64_t boottime_ns;         /* CLOCK_BOOTTIME: never steps, goes on in suspend */
	char stamp[CLOCK_STAMP_SIZE]; /* wall clock, RFC 3339, UTC, microseconds */
};

/* Reads both clocks now. */
void clock_now(struct clock_moment *out);

/* CLOCK_REALTIME in nanoseconds since 1970. */
uint64_t clock_realtime_ns(void);

/* CLOCK_MONOTONIC in nanoseconds, for delays and deadlines within one process. */
uint64_t clock_monotonic_ns(void);

/* Processor time by the clock of a process or thread (clock_getcpuclockid(3),
 * pthread_getcpuclockid(3)), nanoseconds; 0 when it has ended. */
uint64_t clock_used_ns(clockid_t clock);

/* The earlier of two moments; UINT64_MAX is never. */
uint64_t clock_earlier(uint64_t a_ns, uint64_t b_ns);

/* Milliseconds from now to a moment by CLOCK_MONOTONIC, for poll(2): rounded up, at most INT_MAX; 0
 * when it is over. */
int clock_left_ms(uint64_t until_ns);

/* Formats nanoseconds since 1970 (CLOCK_REALTIME) as a stamp. Years beyond 9999 are shown as 9999's
 * last second. */
void clock_format(uint64_t realtime_ns, char out[CLOCK_STAMP_SIZE]);

/* Parses an RFC 3339 moment, with any fraction and any offset, into nanoseconds since 1970; digits
 * beyond nanoseconds are dropped. False, and `*realtime_ns` as it was, when the text is anything
 * else, or a moment before 1970 or after the last that 64 bits have, in the year 2554. */
bool clock_parse(const char *text, uint64_t *realtime_ns);

#endif
