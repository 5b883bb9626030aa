/* num - parses numbers, durations and sizes strictly: the whole text must match. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "num.h"

#include "array.h"
#include "text.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parse the leading digits of a text. Return the position after them. Set `*overflow` if the number
 * exceeds 64 bits. */
static const char *
read_digits(const char *text, uint64_t *value, bool *overflow)
{
	for (*value = 0; text_is_digit(*text); text++) {
		*overflow |= __builtin_mul_overflow(*value, 10, value);
		*overflow |= __builtin_add_overflow(*value, (uint64_t)(*text - '0'), value);
	}
	return text;
}

enum num_status
num_parse_u64(const char *text, uint64_t max, uint64_t *out)
{
	uint64_t value;
	bool overflow = false;
	if (*text == '\0' || *read_digits(text, &value, &overflow) != '\0')
		return NUM_MALFORMED;
	if (overflow || value > max)
		return NUM_RANGE;
	*out = value;
	return NUM_OK;
}

enum num_status
num_parse_hex(const char *text, uint64_t max, uint64_t *out)
{
	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || text[2] == '\0')
		return NUM_MALFORMED;

	uint64_t value = 0;
	bool overflow = false;
	for (text += 2; *text != '\0'; text++) {
		int digit = text_hex_digit(*text);
		if (digit < 0)
			return NUM_MALFORMED;
		overflow |= value >> 60 != 0;
		value = value << 4 | (uint64_t)digit;
	}
	if (overflow || value > max)
		return NUM_RANGE;
	*out = value;
	return NUM_OK;
}

enum num_status
num_parse_double(const char *text, double *out)
{
	/* strtod() also accepts white space, hexadecimal, "inf" and "nan": reject them. */
	if (text[strspn(text, "+-.0123456789eE")] != '\0' || *text == '\0')
		return NUM_MALFORMED;

	char *end;
	double value = strtod(text, &end);
	if (*end != '\0')
		return NUM_MALFORMED;
	if (!isfinite(value))
		return NUM_RANGE;
	*out = value;
	return NUM_OK;
}

enum num_status
num_parse_size(const char *text, uint64_t max_bytes, uint64_t *out_bytes)
{
	static const struct {
		const char *name;
		unsigned shift;
	} shifts[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
	uint64_t count;
	bool overflow = false;
	const char *unit = read_digits(text, &count, &overflow);

	if (unit == text)
		return NUM_MALFORMED;
	for (size_t i = 0; i < ARRAY_COUNT(shifts); i++) {
		if (strcmp(unit, shifts[i].name) != 0)
			continue;
		if (overflow || count > max_bytes >> shifts[i].shift)
			return NUM_RANGE;
		*out_bytes = count << shifts[i].shift;
		return NUM_OK;
	}
	return NUM_MALFORMED;
}

/* The units of durations, longest first. The micro sign is U+00B5 or, as in Go, also U+03BC. */
static const struct unit {
	const char *name;
	uint64_t ns;
} units[] = {
	{"d", 86400 * NUM_NS_PER_S},
	{"h", 3600 * NUM_NS_PER_S},
	{"m", 60 * NUM_NS_PER_S},
	{"s", NUM_NS_PER_S},
	{"ms", NUM_NS_PER_MS},
	{"us", 1000},
	{"\xc2\xb5s", 1000},
	{"\xce\xbcs", 1000},
	{"ns", 1},
};

/* Digits of a fraction that are used; the others are below a nanosecond in every unit. */
#define FRACTION_DIGITS 18

/* State while parsing a duration. */
struct duration {
	const char *text; /* the unparsed rest */
	uint64_t last_ns; /* the previous part's unit */
	uint64_t ns;
	bool overflow;
};

/* Parse digits. Return false if there are none. */
static bool
read_whole(struct duration *duration, uint64_t *value)
{
	const char *text = duration->text;
	duration->text = read_digits(text, value, &duration->overflow);
	return duration->text > text;
}

/* Parse the digits after a decimal point; `*value` is in 10^-FRACTION_DIGITS. */
static bool
read_fraction(struct duration *duration, uint64_t *value)
{
	const char *text = duration->text;
	*value = 0;
	for (int i = 0; i < FRACTION_DIGITS; i++)
		*value = 10 * *value + (text_is_digit(*text) ? (uint64_t)(*text++ - '0') : 0);
	while (text_is_digit(*text))
		text++;
	bool any = text > duration->text;
	duration->text = text;
	return any;
}

static const struct unit *
read_unit(struct duration *duration)
{
	size_t length = strcspn(duration->text, "0123456789.");
	for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
		if (!words_equal(units[i].name, duration->text, length))
			continue;
		duration->text += length;
		return &units[i];
	}
	return NULL;
}

/* Parse one number and its unit, which must be shorter than the previous one. */
static bool
read_part(struct duration *duration)
{
	uint64_t whole, fraction = 0, ns;
	if (!read_whole(duration, &whole))
		return false;
	if (*duration->text == '.') {
		duration->text++;
		if (!read_fraction(duration, &fraction))
			return false;
	}
	const struct unit *unit = read_unit(duration);
	if (unit == NULL || unit->ns >= duration->last_ns)
		return false;
	duration->last_ns = unit->ns;
	/* Each factor fits 64 bits; their product needs more. */
	__extension__ typedef unsigned __int128 wide;
	fraction = (uint64_t)((wide)fraction * unit->ns / UINT64_C(1000000000000000000));
	duration->overflow |= __builtin_mul_overflow(whole, unit->ns, &ns);
	duration->overflow |= __builtin_add_overflow(ns, fraction, &ns);
	duration->overflow |= __builtin_add_overflow(duration->ns, ns, &duration->ns);
	return true;
}

enum num_status
num_parse_duration(const char *text, uint64_t max_ns, uint64_t *out_ns)
{
	struct duration duration = {.text = text, .last_ns = UINT64_MAX};

	if (*text != '\0' && text[strspn(text, "0")] == '\0') {
		*out_ns = 0;
		return NUM_OK;
	}
	do {
		if (!read_part(&duration))
			return NUM_MALFORMED;
	} while (*duration.text != '\0');
	if (duration.overflow || duration.ns > max_ns)
		return NUM_RANGE;
	*out_ns = duration.ns;
	return NUM_OK;
}

void
num_format_duration(uint64_t ns, char out[NUM_DURATION_SIZE])
{
	size_t used = 0;
	strcpy(out, "0s");
	for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
		uint64_t count = ns / units[i].ns;
		ns %= units[i].ns;
		if (count > 0)
			used += (size_t)snprintf(out + used, NUM_DURATION_SIZE - used,
				"%" PRIu64 "%s", count, units[i].name);
	}
}

size_t
num_format_u64(uint64_t value, char out[NUM_U64_SIZE])
{
	size_t length = 1;
	for (uint64_t rest = value; rest >= 10; rest /= 10)
		length++;
	for (size_t at = length; at > 0; at--) {
		out[at - 1] = (char)('0' + value % 10);
		value /= 10;
	}
	out[length] = '\0';
	return length;
}
