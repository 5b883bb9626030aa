/* logtime - the calendar, and the moment of a line on one scale, nanoseconds since 1970, whatever
 * clock the line has it on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_LOGTIME_H
#define LOGMATCH_LOGTIME_H

#include "logline.h"

#include <stdbool.h>
#include <stdint.h>

/* The last year that ends before 64 bits of nanoseconds since 1970 do. */
#define LOGTIME_YEAR_MAX 2553

/* A year with a 29 February, for dates without a year: see LOGLINE_YEARLESS. */
#define LOGTIME_LEAP_YEAR 1972
#define LOGTIME_LEAP_YEAR_START_S (UINT64_C(2) * 365 * 86400)

struct logtime_date {
	unsigned year; /* 1970 to LOGTIME_YEAR_MAX */
	unsigned month, day;
	unsigned hour, minute, second;
};

/* The year is within its limits, the day is in the calendar, the time on the clock; a leap second
 * is. */
bool logtime_is_valid(const struct logtime_date *date);

/* Seconds from the start of 1970 to a valid date, as if it were UTC. A leap second is the first of
 * the next minute. */
uint64_t logtime_seconds(const struct logtime_date *date);

/* The date that many seconds after the start of 1970; of a moment beyond LOGTIME_YEAR_MAX the year
 * is beyond it too. */
void logtime_date_of(uint64_t seconds, struct logtime_date *out);

/* The time zone's offsets in one quarter of an hour of civil time, looked up once for all lines of
 * it. Private to logtime.c. */
struct logtime_zone {
	bool known;
	uint64_t quarter;
	/* Two, the later moment last, when clocks were put back and the civil time came twice; else
	 * the same. */
	int64_t offsets_s[2];
};

struct logtime {
	uint64_t boot_ns; /* when the kernel that wrote the log was booted, since 1970 */
	/* The time of reading, since 1970: for lines without a time, and for the year of those
	 * without a year. */
	uint64_t now_ns;
	struct logtime_zone zone; /* all zeros at first */
};

/* Sets boot_ns, 0 for unknown, to when the kernel that runs here was booted as its clock has it
 * now. Where that is about the same it stays, so that the times of one boot fit together. True when
 * it is another one: the clock was set, or the machine slept. */
bool logtime_follow_clock(struct logtime *base);

/* Between two moments, whichever is the earlier: lines of several CPUs are not in order. */
uint64_t logtime_apart_ns(uint64_t a_ns, uint64_t b_ns);

/* The moment of a line. Civil times are of the time zone TZ, which tzset() has read; a time without
 * a year is of the latest year in which it is not more than a day after now_ns. A civil time that
 * clocks showed twice is the later one, unless that is not yet; one that they left out is as much
 * later. What is before 1970 is 1970, what is beyond 64 bits their last. */
uint64_t logtime_resolve(struct logtime *base, const struct logline *line);

#endif
