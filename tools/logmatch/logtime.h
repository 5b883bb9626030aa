/* logtime - calendar arithmetic, and the time of a line in ns since 1970 from any clock. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_LOGTIME_H
#define LOGMATCH_LOGTIME_H

#include "logline.h"

#include <stdbool.h>
#include <stdint.h>

/* Last full year whose nanoseconds since 1970 fit 64 bits. */
#define LOGTIME_YEAR_MAX 2553

/* A year with 29 February, for dates without a year: see LOGLINE_YEARLESS. */
#define LOGTIME_LEAP_YEAR 1972
#define LOGTIME_LEAP_YEAR_START_S (UINT64_C(2) * 365 * 86400)

struct logtime_date {
	unsigned year; /* 1970 to LOGTIME_YEAR_MAX */
	unsigned month, day;
	unsigned hour, minute, second;
};

/* Return true if the year is within its limits and the date and time exist. Leap seconds are
 * valid. */
bool logtime_is_valid(const struct logtime_date *date);

/* Return the seconds from the start of 1970 to a valid date in UTC. A leap second counts as the
 * first second of the next minute. */
uint64_t logtime_seconds(const struct logtime_date *date);

/* Convert seconds since 1970 to a date. The year may exceed LOGTIME_YEAR_MAX. */
void logtime_date_of(uint64_t seconds, struct logtime_date *out);

/* Offsets of the time zone in one quarter of an hour of civil time, cached for all its lines.
 * Private to logtime.c. */
struct logtime_zone {
	bool known;
	uint64_t quarter;
	/* Two if clocks were put back and the civil time occurred twice, the later moment last;
	 * otherwise equal. */
	int64_t offsets_s[2];
};

struct logtime {
	uint64_t boot_ns; /* boot of the kernel that wrote the log, since 1970 */
	/* How far the log's clock is behind CLOCK_MONOTONIC, ns; negative: it is ahead. NTP
	 * corrects only the latter. */
	int64_t lag_ns;
	/* Time of reading, since 1970: for lines without a time, and to find the year of lines
	 * without one. */
	uint64_t now_ns;
	struct logtime_zone zone; /* all zeros at first */
};

/* Set boot_ns (0: unknown) to the boot time of the running kernel by the current clock. Keep a
 * value that is about the same, so that the times of one boot fit together. Return true if it
 * changed: the clock was set, or the machine was suspended. */
bool logtime_follow_clock(struct logtime *base);

/* A record of the running kernel has the time `time_ns`, but it was written between the other two
 * moments, all in ns since the boot. Set lag_ns so that they agree to within a second. */
void logtime_follow_record(
	struct logtime *base, uint64_t time_ns, uint64_t since_ns, uint64_t until_ns);

/* Return the difference of two times in any order: lines of several CPUs are not sorted. */
uint64_t logtime_apart_ns(uint64_t a_ns, uint64_t b_ns);

/* Return the time of a line, ns since 1970. Civil times are in the time zone TZ; call tzset()
 * before. A time without a year gets the latest year in which it is at most a day after now_ns. Of
 * a civil time that occurred twice, take the later one unless it is in the future; one that clocks
 * skipped is moved forward by the gap. Times before 1970 give 0, times beyond 64 bits
 * UINT64_MAX. */
uint64_t logtime_resolve(struct logtime *base, const struct logline *line);

#endif
