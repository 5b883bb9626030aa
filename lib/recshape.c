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
	struct recshape_values *values;
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

/* Return the length of the shape's text so far. */
static size_t
length_so_far(const struct reading *reading)
{
	return (size_t)(reading->text.at - reading->shape->text.bytes);
}

/* --- numbers --- */

static bool
is_of_number(char c)
{
	return text_is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Parse the JSON integer at `from`. Return its end, or NULL if there is none. Of too many digits
 * only the first ones are read. */
static const char *
parse_integer(const char *from, const char *end, int64_t *out)
{
	bool is_negative = from < end && *from == '-';
	const char *digits = is_negative ? from + 1 : from, *at = digits;
	int64_t value = 0;

	for (; at < end && at - digits < DIGITS_MAX && text_is_digit(*at); at++)
		value = value * 10 + (*at - '0');
	if (at == digits || (*digits == '0' && (is_negative || at - digits > 1)))
		return NULL;
	*out = is_negative ? -value : value;
	return at;
}

/* Make room for so many integers. Return false when out of memory. */
static bool
make_room(struct recshape_values *values, size_t count)
{
	while (values->capacity < count) {
		int64_t *integers = array_grown(
			values->integers, values->capacity, &values->capacity, sizeof *integers);
		if (integers == NULL)
			return false;
		values->integers = integers;
	}
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
	if (parse_integer(from, reading->end, &value) != end)
		return true;
	size_t *integers =
		array_grown(shape->integers, shape->count, &shape->capacity, sizeof *integers);
	if (integers == NULL)
		return false;
	shape->integers = integers;
	if (!make_room(reading->values, shape->count + 1))
		return false;
	leave_out(reading, from, end);
	reading->values->integers[shape->count] = value;
	shape->integers[shape->count++] = length_so_far(reading);
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

/* Return the closing quote of the time stamp that begins at `from`, or NULL if one of its
 * characters is not printable ASCII or is a backslash. */
static const char *
end_of_ts(const char *from, const char *end)
{
	while (from < end && *from >= ' ' && *from <= '~' && *from != '"' && *from != '\\')
		from++;
	return from < end && *from == '"' ? from : NULL;
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
	const char *end = end_of_ts(from, reading->end);
	if (end == NULL)
		return false;
	struct recshape *shape = reading->shape;
	reading->values->ts = from;
	reading->values->ts_length = (size_t)(end - from);
	shape->has_ts = true;
	shape->strings += 2;
	leave_out(reading, from, end);
	shape->ts_at = length_so_far(reading);
	shape->ts_index = shape->count;
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
recshape_read(
	struct recshape *shape, struct recshape_values *values, const char *line, size_t length)
{
	shape->count = shape->strings = 0;
	shape->has_ts = false;
	strbuf_clear(&shape->text);
	/* A quote after a backslash would not end a text. */
	if (memchr(line, '\\', length) != NULL)
		return false;
	char *to = strbuf_reserve(&shape->text, length);
	if (to == NULL)
		return false;
	struct reading reading = {.shape = shape,
		.values = values,
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

/* --- another record of the shape --- */

/* A record being compared with a shape. */
struct matching {
	const char *text; /* of the shape, from here on */
	const char *at, *end;
};

/* Skip the shape's text up to `until`, and return whether the record has it, too. */
static inline bool
match_text(struct matching *matching, const char *until)
{
	size_t length = (size_t)(until - matching->text);
	if ((size_t)(matching->end - matching->at) < length ||
		memcmp(matching->at, matching->text, length) != 0)
		return false;
	matching->text += length;
	matching->at += length;
	return true;
}

static bool
match_ts(struct matching *matching, const struct recshape *shape, struct recshape_values *values)
{
	if (!match_text(matching, shape->text.bytes + shape->ts_at))
		return false;
	values->ts = matching->at;
	matching->at = end_of_ts(values->ts, matching->end);
	if (matching->at == NULL)
		return false;
	values->ts_length = (size_t)(matching->at - values->ts);
	return true;
}

static bool
match_integer(struct matching *matching, const char *zero, int64_t *out)
{
	if (!match_text(matching, zero))
		return false;
	matching->text++;
	matching->at = parse_integer(matching->at, matching->end, out);
	return matching->at != NULL;
}

/* The text behind an integer, or the end, differs if more of a number follows. */
bool
recshape_match(const struct recshape *shape, struct recshape_values *values, const char *line,
	size_t length)
{
	const char *text = shape->text.bytes;
	struct matching matching = {.text = text, .at = line, .end = line + length};

	if (!make_room(values, shape->count))
		return false;
	for (size_t i = 0; i <= shape->count; i++) {
		if (shape->has_ts && i == shape->ts_index && !match_ts(&matching, shape, values))
			return false;
		if (i < shape->count &&
			!match_integer(&matching, text + shape->integers[i], &values->integers[i]))
			return false;
	}
	return match_text(&matching, text + shape->text.length) && matching.at == matching.end;
}

void
recshape_fini(struct recshape *shape)
{
	free(shape->integers);
	strbuf_fini(&shape->text);
}

void
recshape_values_fini(struct recshape_values *values)
{
	free(values->integers);
}
