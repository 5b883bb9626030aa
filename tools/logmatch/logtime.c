/* logtime - calendar arithmetic, and the time of a line in ns since 1970 from any clock. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "logtime.h"

#include "clock.h"
#include "num.h"

#include <time.h>

/* --- the calendar --- */

/* Without the second: timegm(3) knows no leap second. */
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
	/* timegm() turns 30 February into 2 March. */
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

/* --- the time of a line --- */

#define DAY_S 86400

/* Since 1972, zones all over the world change their offset only at a full quarter of an hour of
 * civil time. */
#define QUARTER_S 900

/* No zone is more than 14 hours from UTC, but POSIX allows up to 25 in TZ. */
#define OFFSET_MAX_S ((uint64_t)26 * 3600)

/* Tolerance for times ahead of the clock. Clocks are put back by at least half an hour, so it never
 * decides between two moments in the past. */
#define AHEAD_S 600

/* Ignore smaller differences: NTP slews a clock or steps it by seconds. */
#define CLOCK_SET_NS (60 * NUM_NS_PER_S)

/* Ignore a smaller difference between the log's clock and CLOCK_MONOTONIC, so that the times of one
 * burst fit together. */
#define LAG_IGNORED_NS NUM_NS_PER_S

static uint64_t
sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Return the time moved by so many ns, at least 0. */
static uint64_t
moved(uint64_t time_ns, int64_t by_ns)
{
	if (by_ns >= 0)
		return sum(time_ns, (uint64_t)by_ns);
	/* -INT64_MIN does not fit. */
	uint64_t back_ns = (uint64_t)(-(by_ns + 1)) + 1;
	return time_ns < back_ns ? 0 : time_ns - back_ns;
}

static int64_t
offset_at(int64_t seconds)
{
	time_t moment = (time_t)seconds;
	struct tm local;
	return localtime_r(&moment, &local) == NULL ? 0 : local.tm_gmtoff;
}

/* Use localtime_r() only: mktime() picks one of two possible moments depending on earlier calls. */
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
	return moved(civil_ns, -offset_s * (int64_t)NUM_NS_PER_S);
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

/* Resolve the date in the year that it has now. Return false if that is after `latest_ns`. */
static bool
resolve_in_year(struct logtime *base, const struct logtime_date *date, uint64_t rest_ns,
	uint64_t latest_ns, uint64_t *out)
{
	if (!logtime_is_valid(date))
		return false;
	uint64_t civil_ns = logtime_seconds(date) * NUM_NS_PER_S + rest_ns;
	/* Rule out most years without the time zone: zone offsets are cached for one year only. */
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
	/* A clock that was never set shows 1970. */
	return base->now_ns;
}

/* The time of kernel messages advances roughly like CLOCK_MONOTONIC: see lag_ns. */
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

void
logtime_follow_record(struct logtime *base, uint64_t time_ns, uint64_t since_ns, uint64_t until_ns)
{
	uint64_t seen_ns = moved(time_ns, base->lag_ns), true_ns = seen_ns;
	if (seen_ns < since_ns)
		true_ns = since_ns;
	else if (seen_ns > until_ns)
		true_ns = until_ns;
	if (time_ns <= INT64_MAX && logtime_apart_ns(seen_ns, true_ns) >= LAG_IGNORED_NS)
		base->lag_ns = (int64_t)true_ns - (int64_t)time_ns;
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
		return moved(sum(base->boot_ns, line->time_ns), base->lag_ns);
	case LOGLINE_LOCAL:
		return resolve_local(base, line->time_ns);
	case LOGLINE_YEARLESS:
		return resolve_yearless(base, line->time_ns);
	case LOGLINE_NO_TIME:
		break;
	}
	return base->now_ns;
}
