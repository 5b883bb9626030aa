/* clock - the two clocks of every record: boot time for arithmetic, wall clock for people. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include "num.h"

#include <limits.h>
#include <string.h>
#include <time.h>

/* 9999-12-31T23:59:59Z; RFC 3339 has four digits for the year. */
#define LAST_SECOND INT64_C(253402300799)

/* Return 0 if the clock does not exist. */
static uint64_t
read_ns(clockid_t id)
{
	struct timespec t = {0};
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NUM_NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t
clock_realtime_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}

uint64_t
clock_monotonic_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t
clock_used_ns(clockid_t clock)
{
	return read_ns(clock);
}

/* Write the last `width` digits of `value` and then `behind`. Return the position after them. */
static char *
put_digits(char *out, unsigned value, unsigned width, char behind)
{
	for (unsigned i = width; i > 0; i--) {
		out[i - 1] = (char)('0' + value % 10);
		value /= 10;
	}
	out[width] = behind;
	return out + width + 1;
}

uint64_t
clock_earlier(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

uint64_t
clock_left_ns(uint64_t until_ns, uint64_t now_ns)
{
	if (until_ns == UINT64_MAX)
		return UINT64_MAX;
	return until_ns > now_ns ? until_ns - now_ns : 0;
}

int
clock_left_ms(uint64_t until_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (until_ns <= now_ns)
		return 0;
	uint64_t ms = (until_ns - now_ns - 1) / NUM_NS_PER_MS + 1;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

void
clock_format(uint64_t realtime_ns, char out[CLOCK_STAMP_SIZE])
{
	time_t seconds = (time_t)(realtime_ns / NUM_NS_PER_S);
	unsigned micros = (unsigned)(realtime_ns % NUM_NS_PER_S / 1000);
	if (seconds > LAST_SECOND)
		seconds = LAST_SECOND;

	struct tm t;
	gmtime_r(&seconds, &t);
	/* printf is too slow: some programs format hundreds of thousands of stamps per second. */
	out = put_digits(out, (unsigned)(t.tm_year + 1900), 4, '-');
	out = put_digits(out, (unsigned)(t.tm_mon + 1), 2, '-');
	out = put_digits(out, (unsigned)t.tm_mday, 2, 'T');
	out = put_digits(out, (unsigned)t.tm_hour, 2, ':');
	out = put_digits(out, (unsigned)t.tm_min, 2, ':');
	out = put_digits(out, (unsigned)t.tm_sec, 2, '.');
	out = put_digits(out, micros, 6, 'Z');
	*out = '\0';
}

/* Parse exactly `width` digits as a number from `least` to `most`. */
static bool
parse_digits(const char **at, int width, int least, int most, int *out)
{
	int value = 0;
	for (int i = 0; i < width; i++, (*at)++) {
		if (**at < '0' || **at > '9')
			return false;
		value = 10 * value + (**at - '0');
	}
	*out = value;
	return value >= least && value <= most;
}

static bool
parse_char(const char **at, const char *allowed)
{
	if (**at == '\0' || strchr(allowed, **at) == NULL)
		return false;
	(*at)++;
	return true;
}

/* Parse `.678901`, or nothing. */
static bool
parse_fraction(const char **at, uint64_t *ns)
{
	uint64_t unit = NUM_NS_PER_S / 10;
	*ns = 0;
	if (**at != '.')
		return true;
	(*at)++;
	if (**at < '0' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
		*ns += (uint64_t)(**at - '0') * unit;
	return true;
}

/* Parse `Z` or an offset such as `+02:00`, in seconds. */
static bool
parse_offset(const char **at, int *seconds)
{
	int hours, minutes;
	*seconds = 0;
	if (parse_char(at, "Zz"))
		return true;
	int sign = **at == '-' ? -1 : 1;
	if (!parse_char(at, "+-") || !parse_digits(at, 2, 0, 23, &hours) || !parse_char(at, ":") ||
		!parse_digits(at, 2, 0, 59, &minutes))
		return false;
	*seconds = sign * (3600 * hours + 60 * minutes);
	return true;
}

/* RFC 3339 section 5.6: date-time = full-date "T" full-time. */
bool
clock_parse(const char *text, uint64_t *realtime_ns)
{
	struct tm t = {0};
	uint64_t fraction_ns;
	int second, offset_s;
	const char *at = text;

	if (!parse_digits(&at, 4, 1970, 9999, &t.tm_year) || !parse_char(&at, "-") ||
		!parse_digits(&at, 2, 1, 12, &t.tm_mon) || !parse_char(&at, "-") ||
		!parse_digits(&at, 2, 1, 31, &t.tm_mday) || !parse_char(&at, "Tt") ||
		!parse_digits(&at, 2, 0, 23, &t.tm_hour) || !parse_char(&at, ":") ||
		!parse_digits(&at, 2, 0, 59, &t.tm_min) || !parse_char(&at, ":") ||
		!parse_digits(&at, 2, 0, 60, &second) || !parse_fraction(&at, &fraction_ns) ||
		!parse_offset(&at, &offset_s) || *at != '\0')
		return false;
	int day = t.tm_mday;
	t.tm_year -= 1900;
	t.tm_mon -= 1;
	time_t seconds = timegm(&t) + second - offset_s;
	/* timegm() normalises 31 February to a day in March, also in `t`. */
	if (t.tm_mday != day || seconds < 0 ||
		(uint64_t)seconds > (UINT64_MAX - fraction_ns) / NUM_NS_PER_S)
		return false;
	*realtime_ns = (uint64_t)seconds * NUM_NS_PER_S + fraction_ns;
	return true;
}

void
clock_now(struct clock_moment *out)
{
	out->boottime_ns = read_ns(CLOCK_BOOTTIME);
	clock_format(clock_realtime_ns(), out->stamp);
}
