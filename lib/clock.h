/* clock - the two clocks of every record: boot time for arithmetic, wall clock for people. */
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
	uint64_t boottime_ns;         /* CLOCK_BOOTTIME: never steps, continues during suspend */
	char stamp[CLOCK_STAMP_SIZE]; /* wall clock, RFC 3339, UTC, microseconds */
};

/* Read both clocks. */
void clock_now(struct clock_moment *out);

/* Return CLOCK_REALTIME in nanoseconds since 1970. */
uint64_t clock_realtime_ns(void);

/* Return CLOCK_MONOTONIC in nanoseconds, for delays and deadlines within one process. */
uint64_t clock_monotonic_ns(void);

/* Return the processor time of a process or thread in nanoseconds, by its clock
 * (clock_getcpuclockid(3), pthread_getcpuclockid(3)); 0 if it has ended. */
uint64_t clock_used_ns(clockid_t clock);

/* Return the earlier of two moments; UINT64_MAX means never. */
uint64_t clock_earlier(uint64_t a_ns, uint64_t b_ns);

/* Return the time from `now_ns` to a moment, of any clock: 0 if it has passed, UINT64_MAX if it is
 * UINT64_MAX, never. */
uint64_t clock_left_ns(uint64_t until_ns, uint64_t now_ns);

/* Return the milliseconds from now to a moment of CLOCK_MONOTONIC, as a timeout of poll(2): rounded
 * up, at most INT_MAX; 0 if the moment has passed. */
int clock_left_ms(uint64_t until_ns);

/* Format nanoseconds since 1970 (CLOCK_REALTIME) as a stamp. A time after the year 9999 becomes
 * that year's last second. */
void clock_format(uint64_t realtime_ns, char out[CLOCK_STAMP_SIZE]);

/* Parse an RFC 3339 time, with any fraction and offset, into nanoseconds since 1970; digits beyond
 * nanoseconds are dropped. Return false, and leave `*realtime_ns` unchanged, if the text is
 * malformed or the time is before 1970 or beyond 64 bits (the year 2554). */
bool clock_parse(const char *text, uint64_t *realtime_ns);

#endif
