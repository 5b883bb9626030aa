/* stamp - parses the time at the start of a line, in brackets or as a date. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stamp.h"

#include "array.h"
#include "logtime.h"
#include "num.h"

/* Longest short name of a day or month in any language. */
#define NAME_MAX_BYTES 24

/* Last second whose nanoseconds all fit 64 bits. */
#define SECONDS_MAX (UINT64_MAX / NUM_NS_PER_S - 1)

/* Parse one of `count` three-letter names. `*out` is its place, from 1. */
static bool
parse_name(struct cursor *line, const char *names, unsigned count, unsigned *out)
{
	if (line->end - line->at < 3)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (memcmp(line->at, names + (size_t)3 * i, 3) == 0) {
			line->at += 3;
			*out = i + 1;
			return true;
		}
	return false;
}

/* True for a byte of a letter in UTF-8. */
static bool
is_letter(const struct cursor *line)
{
	return !cursor_at_end(line) &&
	       ((*line->at >= 'A' && *line->at <= 'Z') || (*line->at >= 'a' && *line->at <= 'z') ||
		       (unsigned char)*line->at >= 0x80);
}

/* Parse the short name of a day or month in the language of the user of dmesg or journalctl: `Dez`,
 * `nov.`, or in Chinese a number and a letter. */
static bool
parse_any_name(struct cursor *line, struct cursor *name)
{
	struct cursor at = *line;
	uint64_t number;

	cursor_skip_char(&at, ' ');
	if (!cursor_is_digit(&at))
		at = *line;
	else if (!cursor_parse_number(&at, 31, &number))
		return false;
	const char *letters = at.at;
	while (is_letter(&at))
		at.at++;
	if (at.at == letters || at.at - line->at > NAME_MAX_BYTES)
		return false;
	cursor_skip_char(&at, '.');
	*name = (struct cursor){line->at, at.at};
	*line = at;
	return true;
}

/* `*month` is 0 if the name is not English. */
static bool
parse_month(struct cursor *line, unsigned *month)
{
	struct cursor name;
	if (!parse_any_name(line, &name))
		return false;
	if (!parse_name(&name, "JanFebMarAprMayJunJulAugSepOctNovDec", 12, month) ||
		!cursor_at_end(&name))
		*month = 0;
	return true;
}

static bool
skip_weekday(struct cursor *line)
{
	unsigned weekday;
	return parse_name(line, "MonTueWedThuFriSatSun", 7, &weekday);
}

/* Parse two places, padded with a blank or a zero. */
static bool
parse_day(struct cursor *line, unsigned *day)
{
	return cursor_parse_digits(line, cursor_skip_char(line, ' ') ? 1 : 2, 1, 31, day);
}

static bool
parse_hour_minute(struct cursor *line, struct logtime_date *date)
{
	return cursor_parse_digits(line, 2, 0, 23, &date->hour) && cursor_skip_char(line, ':') &&
	       cursor_parse_digits(line, 2, 0, 59, &date->minute);
}

static bool
parse_time(struct cursor *line, struct logtime_date *date)
{
	return parse_hour_minute(line, date) && cursor_skip_char(line, ':') &&
	       cursor_parse_digits(line, 2, 0, 60, &date->second);
}

static bool
parse_year(struct cursor *line, struct logtime_date *date)
{
	return cursor_parse_digits(line, 4, 1970, LOGTIME_YEAR_MAX, &date->year);
}

static bool
parse_iso_date(struct cursor *line, struct logtime_date *date)
{
	return parse_year(line, date) && cursor_skip_char(line, '-') &&
	       cursor_parse_digits(line, 2, 1, 12, &date->month) && cursor_skip_char(line, '-') &&
	       cursor_parse_digits(line, 2, 1, 31, &date->day);
}

/* Parse `.123456`, or nothing. */
static bool
parse_fraction(struct cursor *line, uint64_t *ns)
{
	*ns = 0;
	return !cursor_skip_char(line, '.') || cursor_parse_fraction_ns(line, ns);
}

/* A date whose month is unknown gives no time. */
static bool
set_date(struct stamp *out, enum logline_clock clock, const struct logtime_date *date, uint64_t ns)
{
	if (date->month == 0) {
		*out = (struct stamp){.clock = LOGLINE_NO_TIME};
		return true;
	}
	if (!logtime_is_valid(date))
		return false;
	uint64_t seconds = logtime_seconds(date);
	if (clock == LOGLINE_YEARLESS)
		seconds -= LOGTIME_LEAP_YEAR_START_S;
	*out = (struct stamp){clock, seconds * NUM_NS_PER_S + ns};
	return true;
}

/* Parse `Z`, `+02:00` or `+0200` and convert the time to UTC. Without a zone the time stays
 * local. */
static bool
parse_zone(struct cursor *line, struct stamp *out)
{
	unsigned hours, minutes;
	bool east = cursor_is(line, '+');

	if (cursor_skip_char(line, 'Z')) {
		out->clock = LOGLINE_REALTIME;
		return true;
	}
	if (!cursor_skip_char(line, '+') && !cursor_skip_char(line, '-'))
		return true;
	if (!cursor_parse_digits(line, 2, 0, 23, &hours))
		return false;
	cursor_skip_char(line, ':');
	if (!cursor_parse_digits(line, 2, 0, 59, &minutes))
		return false;
	uint64_t offset_ns = (UINT64_C(3600) * hours + UINT64_C(60) * minutes) * NUM_NS_PER_S;
	if (east && offset_ns > out->time_ns)
		return false;
	/* Cannot exceed 64 bits: LOGTIME_YEAR_MAX ends half a year earlier. */
	out->time_ns = east ? out->time_ns - offset_ns : out->time_ns + offset_ns;
	out->clock = LOGLINE_REALTIME;
	return true;
}

/* Parse `UTC`, `CEST`, or `+03` or `+0530` where a zone has no name. */
static bool
parse_zone_word(struct cursor *line, struct stamp *out)
{
	struct cursor word;
	if (!cursor_parse_word(line, &word))
		return false;
	size_t length = (size_t)(word.end - word.at);
	if (*word.at == '+' || *word.at == '-') {
		char full[] = "+0000";
		if (length != 3 && length != 5)
			return false;
		memcpy(full, word.at, length);
		struct cursor zone = {full, full + 5};
		return parse_zone(&zone, out) && cursor_at_end(&zone);
	}
	for (const char *at = word.at; at < word.end; at++)
		if (*at < 'A' || *at > 'Z')
			return false;
	if (length == 3 && (memcmp(word.at, "UTC", 3) == 0 || memcmp(word.at, "GMT", 3) == 0))
		out->clock = LOGLINE_REALTIME;
	return length <= 6;
}

static bool
parse_seconds(struct cursor *line, uint64_t *ns)
{
	uint64_t seconds, fraction_ns;
	if (!cursor_parse_number(line, SECONDS_MAX, &seconds) || !cursor_skip_char(line, '.') ||
		!cursor_parse_fraction_ns(line, &fraction_ns))
		return false;
	*ns = seconds * NUM_NS_PER_S + fraction_ns;
	return true;
}

/* Messages of several CPUs are not sorted, so a delta may be negative. */
static bool
skip_sign(struct cursor *line)
{
	return cursor_skip_char(line, '+') || cursor_skip_char(line, '-');
}

/* dmesg writes deltas, but no times, with the decimal comma of its user's language. */
static bool
skip_seconds(struct cursor *line)
{
	uint64_t ignored;
	return cursor_parse_number(line, SECONDS_MAX, &ignored) &&
	       (cursor_skip_char(line, '.') || cursor_skip_char(line, ',')) &&
	       cursor_parse_fraction_ns(line, &ignored);
}

/* Skip the time since the previous line: it does not give the time of this one. */
static bool
skip_delta(struct cursor *line)
{
	if (!cursor_skip_char(line, '<'))
		return false;
	cursor_skip_blanks(line);
	skip_sign(line);
	if (!skip_seconds(line))
		return false;
	cursor_skip_blanks(line);
	cursor_skip_char(line, '*');
	return cursor_skip_char(line, '>');
}

static bool
skip_optional_delta(struct cursor *line)
{
	cursor_skip_blanks(line);
	return !cursor_is(line, '<') || skip_delta(line);
}

static bool
parse_number_inside(struct cursor *line, struct stamp *out)
{
	cursor_skip_blanks(line);
	*out = (struct stamp){.clock = LOGLINE_NO_TIME};
	if (cursor_is(line, '<'))
		return skip_delta(line);
	if (skip_sign(line))
		return skip_seconds(line);
	out->clock = LOGLINE_BOOT;
	return parse_seconds(line, &out->time_ns) && skip_optional_delta(line);
}

static bool
parse_ctime_inside(struct cursor *line, struct stamp *out)
{
	struct logtime_date date = {0};
	struct cursor weekday;
	return parse_any_name(line, &weekday) && cursor_skip_char(line, ' ') &&
	       parse_month(line, &date.month) && cursor_skip_char(line, ' ') &&
	       parse_day(line, &date.day) && cursor_skip_char(line, ' ') &&
	       parse_time(line, &date) && cursor_skip_char(line, ' ') && parse_year(line, &date) &&
	       set_date(out, LOGLINE_LOCAL, &date, 0) && skip_optional_delta(line);
}

/* Parse `30. Nov`, `30 nov.` or `30.lis`. */
static bool
parse_day_month(struct cursor *line, struct logtime_date *date)
{
	if (!parse_day(line, &date->day))
		return false;
	cursor_skip_char(line, '.');
	cursor_skip_char(line, ' ');
	return parse_month(line, &date->month) && cursor_skip_char(line, ' ');
}

/* Parse `2026, 19:04:25`, `2026 19:04:25` or `19:04:25 2026`. */
static bool
parse_year_time(struct cursor *line, struct logtime_date *date)
{
	struct cursor at = *line;
	if (!parse_year(&at, date))
		return parse_time(line, date) && cursor_skip_char(line, ' ') &&
		       parse_year(line, date);
	*line = at;
	cursor_skip_char(line, ',');
	return cursor_skip_char(line, ' ') && parse_time(line, date);
}

/* Some translations of dmesg have the day before the month, and German has commas:
 * `Mo, 30. Nov 2026, 19:04:25`. */
static bool
parse_translated_inside(struct cursor *line, struct stamp *out)
{
	struct logtime_date date = {0};
	struct cursor weekday;
	if (!parse_any_name(line, &weekday))
		return false;
	cursor_skip_char(line, ',');
	return cursor_skip_char(line, ' ') && parse_day_month(line, &date) &&
	       parse_year_time(line, &date) && set_date(out, LOGLINE_LOCAL, &date, 0) &&
	       skip_optional_delta(line);
}

static bool
parse_translated_short_inside(struct cursor *line, struct stamp *out)
{
	struct logtime_date date = {.year = LOGTIME_LEAP_YEAR};
	return parse_day_month(line, &date) && parse_hour_minute(line, &date) &&
	       set_date(out, LOGLINE_YEARLESS, &date, 0);
}

static bool
parse_short_inside(struct cursor *line, struct stamp *out)
{
	struct logtime_date date = {.year = LOGTIME_LEAP_YEAR};
	return parse_month(line, &date.month) && parse_day(line, &date.day) &&
	       cursor_skip_char(line, ' ') && parse_hour_minute(line, &date) &&
	       set_date(out, LOGLINE_YEARLESS, &date, 0);
}

/* Skip a caller in brackets. Another bracket belongs to the text: `[Hardware Error]: ...`. */
static void
skip_caller(struct cursor *line)
{
	struct cursor ahead = *line;
	uint64_t id;

	cursor_skip_char(&ahead, ' ');
	if (!cursor_skip_char(&ahead, '['))
		return;
	cursor_skip_blanks(&ahead);
	if ((cursor_skip_char(&ahead, 'T') || cursor_skip_char(&ahead, 'C')) &&
		cursor_parse_number(&ahead, UINT64_MAX, &id) && cursor_skip_char(&ahead, ']'))
		*line = ahead;
}

bool
stamp_parse_bracket(struct cursor *line, struct stamp *out)
{
	static bool (*const forms[])(struct cursor *, struct stamp *) = {parse_number_inside,
		parse_ctime_inside, parse_short_inside, parse_translated_inside,
		parse_translated_short_inside};

	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		struct cursor at = *line;
		if (!cursor_skip_char(&at, '[') || !forms[i](&at, out) ||
			!cursor_skip_char(&at, ']'))
			continue;
		skip_caller(&at);
		if (!cursor_skip_blank_or_end(&at))
			return false;
		*line = at;
		return true;
	}
	/* Without a time the caller may still be there. */
	struct cursor at = *line;
	if (cursor_is(line, '['))
		skip_caller(&at);
	if (at.at == line->at || !cursor_skip_blank_or_end(&at))
		return false;
	*out = (struct stamp){.clock = LOGLINE_NO_TIME};
	*line = at;
	return true;
}

bool
stamp_parse_dmesg_iso(struct cursor *line, struct stamp *out)
{
	struct cursor at = *line;
	struct logtime_date date;
	uint64_t ns;

	if (!parse_iso_date(&at, &date) || !cursor_skip_char(&at, 'T') || !parse_time(&at, &date) ||
		!cursor_skip_char(&at, ',') || !cursor_parse_fraction_ns(&at, &ns) ||
		!set_date(out, LOGLINE_LOCAL, &date, ns) || !parse_zone(&at, out))
		return false;
	skip_caller(&at);
	if (!cursor_skip_blank_or_end(&at))
		return false;
	*line = at;
	return true;
}

static bool
parse_iso(struct cursor *line, struct stamp *out)
{
	struct logtime_date date;
	uint64_t ns;
	return parse_iso_date(line, &date) &&
	       (cursor_skip_char(line, 'T') || cursor_skip_char(line, ' ')) &&
	       parse_time(line, &date) && parse_fraction(line, &ns) &&
	       set_date(out, LOGLINE_LOCAL, &date, ns) && parse_zone(line, out);
}

static bool
parse_full(struct cursor *line, struct stamp *out)
{
	struct logtime_date date;
	uint64_t ns;
	return skip_weekday(line) && cursor_skip_char(line, ' ') && parse_iso_date(line, &date) &&
	       cursor_skip_char(line, ' ') && parse_time(line, &date) &&
	       parse_fraction(line, &ns) && cursor_skip_char(line, ' ') &&
	       set_date(out, LOGLINE_LOCAL, &date, ns) && parse_zone_word(line, out);
}

static bool
parse_short(struct cursor *line, struct stamp *out)
{
	struct logtime_date date = {.year = LOGTIME_LEAP_YEAR};
	uint64_t ns;
	return parse_month(line, &date.month) && cursor_skip_char(line, ' ') &&
	       parse_day(line, &date.day) && cursor_skip_char(line, ' ') &&
	       parse_time(line, &date) && parse_fraction(line, &ns) &&
	       set_date(out, LOGLINE_YEARLESS, &date, ns);
}

bool
stamp_parse_date(struct cursor *line, struct stamp *out)
{
	static bool (*const forms[])(struct cursor *, struct stamp *) = {
		parse_short, parse_iso, parse_full};

	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		struct cursor at = *line;
		if (!forms[i](&at, out) || !cursor_skip_blank_or_end(&at))
			continue;
		*line = at;
		return true;
	}
	return false;
}

bool
stamp_parse_unix(struct cursor *line, struct stamp *out)
{
	struct cursor at = *line;
	uint64_t seconds;
	unsigned micros;

	if (!cursor_parse_number(&at, SECONDS_MAX, &seconds) || !cursor_skip_char(&at, '.') ||
		!cursor_parse_digits(&at, 6, 0, 999999, &micros) || !cursor_skip_char(&at, ' '))
		return false;
	*out = (struct stamp){LOGLINE_REALTIME, seconds * NUM_NS_PER_S + UINT64_C(1000) * micros};
	*line = at;
	return true;
}
