/* when - parses and formats times and durations for people. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "when.h"

#include "clock.h"
#include "num.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DAY_NS (UINT64_C(86400) * NUM_NS_PER_S)

#define DATE_LENGTH strlen("2026-11-20")
#define MINUTES_LENGTH strlen("18:00")

/* Parse date [ (" " | "T") hour ":" minute [ ":" second ] [ "Z" ] ], completed to RFC 3339. */
static bool
parse_civil(const char *text, uint64_t *out_ns)
{
	char full[CLOCK_STAMP_SIZE + 1];
	size_t length = strlen(text);

	if (length < DATE_LENGTH || length >= CLOCK_STAMP_SIZE)
		return false;
	const char *time = text + DATE_LENGTH;
	if (*time != '\0' && *time != ' ' && *time != 'T')
		return false;
	if (*time != '\0')
		time++;
	size_t time_length = strcspn(time, "Z");
	if (strcmp(time + time_length, "") != 0 && strcmp(time + time_length, "Z") != 0)
		return false;

	const char *rest = "";
	if (text[DATE_LENGTH] == '\0')
		rest = "00:00:00";
	else if (time_length == MINUTES_LENGTH)
		rest = ":00";
	int used = snprintf(full, sizeof full, "%.*sT%.*s%sZ", (int)DATE_LENGTH, text,
		(int)time_length, time, rest);
	return used > 0 && (size_t)used < sizeof full && clock_parse(full, out_ns);
}

/* Parse a day as its midnight, in UTC. */
static bool
parse_day(const char *text, uint64_t now_ns, uint64_t *out_ns)
{
	const uint64_t today_ns = now_ns - now_ns % DAY_NS;
	bool is_yesterday = strcmp(text, "yesterday") == 0;
	if (!is_yesterday && strcmp(text, "today") != 0)
		return false;
	*out_ns = is_yesterday && today_ns > 0 ? today_ns - DAY_NS : today_ns;
	return true;
}

const char *
when_parse(const char *text, uint64_t now_ns, uint64_t *out_ns)
{
	uint64_t ns;

	switch (num_parse_duration(text, now_ns, &ns)) {
	case NUM_OK:
		*out_ns = now_ns - ns;
		return NULL;
	case NUM_RANGE:
		return "the time is before 1970";
	case NUM_MALFORMED:
		break;
	}
	if (!parse_day(text, now_ns, &ns) && !clock_parse(text, &ns) && !parse_civil(text, &ns))
		return "not a duration such as 12h or 7d, nor a time such as yesterday, "
		       "2026-11-20, "
		       "'2026-11-20 18:00' or 2026-11-20T18:00:00+01:00";
	/* Local time east of Greenwich, taken for UTC, may be in the future: nothing would be
	 * found. */
	if (ns > now_ns)
		return "the time is in the future; a time without an offset is UTC";
	*out_ns = ns;
	return NULL;
}

char *
when_time(uint64_t realtime_ns, char out[WHEN_TIME_SIZE])
{
	char stamp[CLOCK_STAMP_SIZE];
	clock_format(realtime_ns, stamp);
	stamp[DATE_LENGTH] = ' ';
	memcpy(out, stamp, WHEN_TIME_SIZE - 1);
	out[WHEN_TIME_SIZE - 1] = '\0';
	return out;
}

char *
when_span(uint64_t ns, char out[WHEN_SPAN_SIZE])
{
	uint64_t s = ns / NUM_NS_PER_S;
	uint64_t min = s / 60, h = s / 3600, d = s / 86400;

	if (d > 0)
		snprintf(out, WHEN_SPAN_SIZE, "%" PRIu64 " d %" PRIu64 " h", d, h % 24);
	else if (h > 0)
		snprintf(out, WHEN_SPAN_SIZE, "%" PRIu64 " h %" PRIu64 " min", h, min % 60);
	else if (min > 0)
		snprintf(out, WHEN_SPAN_SIZE, "%" PRIu64 " min", min);
	else
		snprintf(out, WHEN_SPAN_SIZE, "%" PRIu64 " s", s);
	return out;
}
