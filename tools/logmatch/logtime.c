/* logtime - the moment of a line on one scale, nanoseconds since 1970, whatever clock the line has it on. */
#include "logtime.h"

#include "civil.h"
#include "num.h"

#include <time.h>

#define DAY_S 86400

/* Zones change their offset at a full quarter of an hour of civil time, since 1972 all over the world. */
#define QUARTER_S 900

/* No zone is farther from UTC than 14 hours (POSIX allows TZ to say up to 25). */
#define OFFSET_MAX_S ((uint64_t)26 * 3600)

/* Clocks are put back by half an hour at least, so this is never a choice between two moments in the past. */
#define AHEAD_S 600

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

/* mktime() chooses between two moments by what it was asked before; this depends on the time alone. */
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
resolve_in_year(struct logtime *base, const struct civil *date, uint64_t rest_ns,
	uint64_t latest_ns, uint64_t *out)
{
	if (!civil_is_valid(date))
		return false;
	uint64_t civil_ns = civil_seconds(date) * NUM_NS_PER_S + rest_ns;
	/* Most years are ruled out without the time zone, whose offset is remembered for one of them only. */
	if (civil_ns > sum(latest_ns, OFFSET_MAX_S * NUM_NS_PER_S))
		return false;
	*out = resolve_local(base, civil_ns);
	return *out <= latest_ns;
}

static uint64_t
resolve_yearless(struct logtime *base, uint64_t time_ns)
{
	uint64_t latest_ns = sum(base->now_ns, DAY_S * NUM_NS_PER_S), moment_ns;
	struct civil latest, date;

	civil_of_seconds(latest_ns / NUM_NS_PER_S + OFFSET_MAX_S, &latest);
	civil_of_seconds(CIVIL_LEAP_YEAR_START_S + time_ns / NUM_NS_PER_S, &date);
	for (date.year = latest.year; date.year >= 1970; date.year--)
		if (resolve_in_year(base, &date, time_ns % NUM_NS_PER_S, latest_ns, &moment_ns))
			return moment_ns;
	/* A clock that has not been set yet shows 1970. */
	return base->now_ns;
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
