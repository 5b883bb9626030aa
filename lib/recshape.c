/* recshape - splits a record's text into its shape, its integers and its time stamp. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "recshape.h"

#include "array.h"
#include "jsontext.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* Any number of so many digits fits into an int64_t. */
#define DIGITS_MAX 18

/* A record being read. */
struct reading {
	struct recshape *shape;
	struct jsontext text;
	const char *copied; /* the line is copied up to here */
	const char *at, *end;
	unsigned depth; /* of objects and arrays */
};

/* Copy the line up to `until`, and continue at `from`. */
static void
leave_out(struct reading *reading, const char *until, const char *from)
{
	jsontext_put(&reading->text, reading->copied, (size_t)(until - reading->copied));
	reading->copied = reading->at = from;
}

/* --- numbers --- */

static bool
is_of_number(char c)
{
	return text_is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Return false if it is not a JSON integer, or has too many digits. */
static bool
parse_integer(const char *from, const char *end, int64_t *out)
{
	bool is_negative = *from == '-';
	const char *digits = is_negative ? from + 1 : from;
	int64_t value = 0;

	if (digits == end || end - digits > DIGITS_MAX ||
		(*digits == '0' && (is_negative || end - digits > 1)))
		return false;
	for (const char *at = digits; at < end; at++) {
		if (!text_is_digit(*at))
			return false;
		value = value * 10 + (*at - '0');
	}
	*out = is_negative ? -value : value;
	return true;
}

static bool
read_number(struct reading *reading)
{
	struct recshape *shape = reading->shape;
	const char *from = reading->at, *end = from;
	int64_t value;

	while (end < reading->end && is_of_number(*end))
		end++;
	reading->at = end;
	if (!parse_integer(from, end, &value))
		return true;
	int64_t *integers =
		array_grown(shape->integers, shape->count, &shape->capacity, sizeof *integers);
	if (integers == NULL)
		return false;
	shape->integers = integers;
	shape->integers[shape->count++] = value;
	leave_out(reading, from, end);
	JSONTEXT_PUT(&reading->text, "0");
	return true;
}

/* --- texts --- */

/* Return the closing quote of the text that begins at `from`, or NULL. */
static const char *
closing(const struct reading *reading, const char *from)
{
	return memchr(from + 1, '"', (size_t)(reading->end - from - 1));
}

/* Return whether all of it is printable ASCII. */
static bool
is_plain(const char *from, const char *end)
{
	while (from < end && *from >= ' ' && *from <= '~')
		from++;
	return from == end;
}

/* Leave out the value of the record's key `ts`, if the key is here and the value is a plain
 * text. */
static bool
read_ts(struct reading *reading, const char *after_key)
{
	static const char key[] = "\"ts\"", between[] = ":\"";
	const size_t key_length = sizeof key - 1, between_length = sizeof between - 1;

	if (reading->depth != 1 || (size_t)(after_key - reading->at) != key_length ||
		memcmp(reading->at, key, key_length) != 0 ||
		(size_t)(reading->end - after_key) < between_length ||
		memcmp(after_key, between, between_length) != 0)
		return false;
	const char *from = after_key + between_length;
	const char *end = closing(reading, from - 1);
	if (end == NULL || !is_plain(from, end))
		return false;
	reading->shape->ts = from;
	reading->shape->ts_length = (size_t)(end - from);
	reading->shape->strings += 2;
	leave_out(reading, from, end);
	reading->at = end + 1;
	return true;
}

static bool
read_string(struct reading *reading)
{
	const char *end = closing(reading, reading->at);
	if (end == NULL)
		return false;
	if (read_ts(reading, end + 1))
		return true;
	reading->shape->strings++;
	reading->at = end + 1;
	return true;
}

static void
read_other(struct reading *reading)
{
	char c = *reading->at++;
	if (c == '{' || c == '[')
		reading->depth++;
	else if ((c == '}' || c == ']') && reading->depth > 0)
		reading->depth--;
}

bool
recshape_read(struct recshape *shape, const char *line, size_t length)
{
	shape->count = shape->strings = shape->ts_length = 0;
	shape->ts = NULL;
	strbuf_clear(&shape->text);
	/* A quote after a backslash would not end a text. */
	if (memchr(line, '\\', length) != NULL)
		return false;
	char *to = strbuf_reserve(&shape->text, length);
	if (to == NULL)
		return false;
	struct reading reading = {.shape = shape,
		.text = {.at = to, .end = to + length},
		.copied = line,
		.at = line,
		.end = line + length};
	while (reading.at < reading.end) {
		bool good = true;
		if (*reading.at == '"')
			good = read_string(&reading);
		else if (text_is_digit(*reading.at) || *reading.at == '-')
			good = read_number(&reading);
		else
			read_other(&reading);
		if (!good)
			return false;
	}
	leave_out(&reading, reading.end, reading.end);
	strbuf_wrote(&shape->text, (size_t)(reading.text.at - to));
	return true;
}

void
recshape_fini(struct recshape *shape)
{
	free(shape->integers);
	strbuf_fini(&shape->text);
}
