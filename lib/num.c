/* num - strict numbers and durations: the whole text is the number, or there is none. */
#include "num.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

enum num_status
num_parse_u64(const char *text, uint64_t max, uint64_t *out)
{
	if (*text == '\0')
		return NUM_MALFORMED;

	uint64_t value = 0;
	bool overflow = false;
	for (; *text != '\0'; text++) {
		if (!is_digit(*text))
			return NUM_MALFORMED;
		overflow |= __builtin_mul_overflow(value, 10, &value);
		overflow |= __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value);
	}
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
		int digit = hex_digit(*text);
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
	/* strtod() also takes white space, hexadecimal, "inf" and "nan"; none of these is a number here. */
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
num_parse_duration(const char *text, uint64_t max_ns, uint64_t *out_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"ms", NUM_NS_PER_MS},
		{"s", NUM_NS_PER_S},
		{"m", 60 * NUM_NS_PER_S},
		{"h", 3600 * NUM_NS_PER_S},
		{"d", 86400 * NUM_NS_PER_S},
	};

	size_t digits = 0;
	while (is_digit(text[digits]))
		digits++;
	char number[24];
	if (digits == 0)
		return NUM_MALFORMED;
	if (digits >= sizeof number)
		return NUM_RANGE;
	memcpy(number, text, digits);
	number[digits] = '\0';

	uint64_t value;
	enum num_status status = num_parse_u64(number, UINT64_MAX, &value);
	if (status != NUM_OK)
		return status;
	if (text[digits] == '\0' && value == 0) {
		*out_ns = 0;
		return NUM_OK;
	}

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(text + digits, units[i].name) != 0)
			continue;
		if (__builtin_mul_overflow(value, units[i].ns, &value) || value > max_ns)
			return NUM_RANGE;
		*out_ns = value;
		return NUM_OK;
	}
	return NUM_MALFORMED;
}

size_t
num_format_u64(uint64_t value, char out[NUM_U64_SIZE])
{
	char digits[NUM_U64_SIZE];
	size_t at = sizeof digits;

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	size_t length = sizeof digits - at;
	memcpy(out, digits + at, length);
	out[length] = '\0';
	return length;
}
