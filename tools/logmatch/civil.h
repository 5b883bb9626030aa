/* civil - the calendar: dates and the seconds since 1970, without a time zone. */
#ifndef LOGMATCH_CIVIL_H
#define LOGMATCH_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

/* The last year that ends before 64 bits of nanoseconds since 1970 do. */
#define CIVIL_YEAR_MAX 2553

/* A year with a 29 February, for dates without a year: see LOGLINE_YEARLESS. */
#define CIVIL_LEAP_YEAR 1972
#define CIVIL_LEAP_YEAR_START_S (UINT64_C(2) * 365 * 86400)

struct civil {
	unsigned year; /* 1970 to CIVIL_YEAR_MAX */
	unsigned month, day;
	unsigned hour, minute, second;
};

/* The year is within its limits, the day is in the calendar, the time on the clock; a leap second is. */
bool civil_is_valid(const struct civil *date);

/* Seconds from the start of 1970 to a valid date, as if it were UTC. A leap second is the first of the next minute. */
uint64_t civil_seconds(const struct civil *date);

/* The date that many seconds after the start of 1970; of a moment beyond CIVIL_YEAR_MAX the year is beyond it too. */
void civil_of_seconds(uint64_t seconds, struct civil *out);

#endif
