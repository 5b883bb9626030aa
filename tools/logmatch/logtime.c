/* logtime - the calendar, and the moment of a line on one scale, nanoseconds since 1970, whatever
 * clock the line has it on. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "logtime.h"

#include "clock.h"
#include "num.h"

#include <time.h>

/* --- the calendar --- */

/* The second is left out: a leap second is none to timegm(3). */
static struct tm
tm_of(const struct logtime_date *date)
{
	return (struct tm){.tm_year = (int)date->year - 1900,
		.tm_mon = (int)date->month - 1,
		.tm_mday = (int)date->day,
		.tm_hour = (int)date->hour,
		.tm_min = (int)date->minute};
}

bool
logtime_is_valid(const struct logtime_date *date)
{
	if (date->year < 1970 || date->year > LOGTIME_YEAR_MAX || date->month < 1 ||
		date->month > 12 || date->day < 1 || date->day > 31 || date->hour > 23 ||
		date->minute > 59 || date->second > 60)
		return false;
	if (date->day <= 28)
		return true;
	/* timegm() makes 2 March of 30 February. */
	struct tm tm = tm_of(date);
	return timegm(&tm) >= 0 && tm.tm_mday == (int)date->day;
}

uint64_t
logtime_seconds(const struct logtime_date *date)
{
	struct tm tm = tm_of(date);
	return (uint64_t)timegm(&tm) + date->second;
}

void
logtime_date_of(uint64_t seconds, struct logtime_date *out)
{
	time_t moment_s = (time_t)seconds;
	struct tm tm;

	gmtime_r(&moment_s, &tm);
	*out = (struct logtime_date){(unsigned)tm.tm_year + 1900, (unsigned)tm.tm_mon + 1,
		(unsigned)tm.tm_mday, (unsigned)tm.tm_hour, (unsigned)tm.tm_min,
		(unsigned)tm.tm_sec};
}

/* --- the moment of a line --- */

#define DAY_S 86400

/* Zones change their offset at a full quarter of an hour of civil time, since 1972 all over the
 * world. */
#define QUARTER_S 900

/* No zone is farther from UTC than 14 hours (POSIX allows TZ to say up to 25). */
#define OFFSET_MAX_S ((uint64_t)26 * 3600)

/* Clocks are put back by half an hour at least, so this is never a choice between two moments in
 * the past. */
#define AHEAD_S 600

/* A clock that is off by less is kept in step, or put right by seconds. */
#define CLOCK_SET_NS (60 * NUM_NS_PER_S)

static uint64_t
sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static int64_t
offset_at(int64_t seconds)
{
	time_t moment = (time_t)seconds;
	struct tm local;
	return localtime_r(&moment, &local) == NULL ? 0 : local.tm_gmtoff;
}

/* mktime() chooses between two moments by what it was asked before; this depends on the time
 * alone. */
static void
look_up(struct logtime_zone *zone, uint64_t quarter)
{
	int64_t civil_s = (int64_t)(quarter * QUARTER_S);
	int64_t before = offset_at(civil_s - DAY_S), after = offset_at(civil_s + DAY_S);
	bool before_fits = offset_at(civil_s - before) == before;
	bool after_fits = offset_at(civil_s - after) == after;

	*zone = (struct logtime_zone){.known = true, .quarter = quarter};
	zone->offsets_s[0] = before_fits || !after_fits ? before : after;
	zone->offsets_s[1] = after_fits ? after : before;
}

static uint64_t
at_offset(uint64_t civil_ns, int64_t offset_s)
{
	if (offset_s < 0)
		return sum(civil_ns, (uint64_t)-offset_s * NUM_NS_PER_S);
	uint64_t east_ns = (uint64_t)offset_s * NUM_NS_PER_S;
	return civil_ns < east_ns ? 0 : civil_ns - east_ns;
}

static uint64_t
resolve_local(struct logtime *base, uint64_t civil_ns)
{
	uint64_t quarter = civil_ns / NUM_NS_PER_S / QUARTER_S;

	if (!base->zone.known || base->zone.quarter != quarter)
		look_up(&base->zone, quarter);
	uint64_t later_ns = at_offset(civil_ns, base->zone.offsets_s[1]);
	return later_ns > sum(base->now_ns, AHEAD_S * NUM_NS_PER_S)
		       ? at_offset(civil_ns, base->zone.offsets_s[0])
		       : later_ns;
}

/* In the year given, the moment of a date without one; false when it is later than `latest_ns`. */
static bool
resolve_in_year(struct logtime *base, const struct logtime_date *date, uint64_t rest_ns,
	uint64_t latest_ns, uint64_t *out)
{
	if (!logtime_is_valid(date))
		return false;
	uint64_t civil_ns = logtime_seconds(date) * NUM_NS_PER_S + rest_ns;
	/* Most years are ruled out without the time zone, whose offset is remembered for one of
	 * them only. */
	if (civil_ns > sum(latest_ns, OFFSET_MAX_S * NUM_NS_PER_S))
		return false;
	*out = resolve_local(base, civil_ns);
	return *out <= latest_ns;
}

static uint64_t
resolve_yearless(struct logtime *base, uint64_t time_ns)
{
	uint64_t latest_ns = sum(base->now_ns, DAY_S * NUM_NS_PER_S), moment_ns;
	struct logtime_date latest, date;

	logtime_date_of(latest_ns / NUM_NS_PER_S + OFFSET_MAX_S, &latest);
	logtime_date_of(LOGTIME_LEAP_YEAR_START_S + time_ns / NUM_NS_PER_S, &date);
	for (date.year = latest.year; date.year >= 1970; date.year--)
		if (resolve_in_year(base, &date, time_ns % NUM_NS_PER_S, latest_ns, &moment_ns))
			return moment_ns;
	/* A clock that has not been set yet shows 1970. */
	return base->now_ns;
}

/* The kernel counts the time of its messages as CLOCK_MONOTONIC does, about. */
bool
logtime_follow_clock(struct logtime *base)
{
	uint64_t now_ns = clock_realtime_ns(), up_ns = clock_monotonic_ns();
	uint64_t boot_ns = now_ns > up_ns ? now_ns - up_ns : 0;

	if (logtime_apart_ns(boot_ns, base->boot_ns) < CLOCK_SET_NS)
		return false;
	base->boot_ns = boot_ns;
	return true;
}

uint64_t
logtime_apart_ns(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;
}

uint64_t
logtime_resolve(struct logtime *base, const struct logline *line)
{
	switch (line->clock) {
	case LOGLINE_REALTIME:
		return line->time_ns;
	case LOGLINE_BOOT:
		return sum(base->boot_ns, line->time_ns);
	case LOGLINE_LOCAL:
		return resolve_local(base, line->time_ns);
	case LOGLINE_YEARLESS:
		return resolve_yearless(base, line->time_ns);
	case LOGLINE_NO_TIME:
		break;
	}
	return base->now_ns;
}
