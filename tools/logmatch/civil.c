/* civil - the calendar: dates and the seconds since 1970, without a time zone. */
#include "civil.h"

#define DAY_S 86400

static bool
is_leap(unsigned year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned
days_in_month(unsigned year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

bool
civil_is_valid(const struct civil *date)
{
	return date->year >= 1970 && date->year <= CIVIL_YEAR_MAX && date->month >= 1 &&
	       date->month <= 12 && date->day >= 1 &&
	       date->day <= days_in_month(date->year, date->month) && date->hour <= 23 &&
	       date->minute <= 59 && date->second <= 60;
}

/* Days from the start of 1970 to the start of the year. */
static uint64_t
days_to_year(unsigned year)
{
	unsigned before = year - 1;
	unsigned leap_days = before / 4 - before / 100 + before / 400;
	return UINT64_C(365) * (year - 1970) + leap_days - (1969 / 4 - 1969 / 100 + 1969 / 400);
}

uint64_t
civil_seconds(const struct civil *date)
{
	uint64_t days = days_to_year(date->year) + date->day - 1;
	for (unsigned month = 1; month < date->month; month++)
		days += days_in_month(date->year, month);
	return DAY_S * days + UINT64_C(3600) * date->hour + UINT64_C(60) * date->minute +
	       date->second;
}

void
civil_of_seconds(uint64_t seconds, struct civil *out)
{
	uint64_t days = seconds / DAY_S;
	unsigned rest = (unsigned)(seconds % DAY_S);

	/* A year too early by a few at most, as no year has more than 366 days and leap years are rare. */
	unsigned year = 1970 + (unsigned)(days / 366);
	while (days_to_year(year + 1) <= days)
		year++;
	days -= days_to_year(year);
	unsigned month = 1;
	for (; days >= days_in_month(year, month); month++)
		days -= days_in_month(year, month);
	*out = (struct civil){
		year, month, (unsigned)days + 1, rest / 3600, rest / 60 % 60, rest % 60};
}
