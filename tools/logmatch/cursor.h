/* cursor - steps through a text that has an end pointer and no NUL. Each step skips or parses what
 * it expects.
 *
 * A failed step may have moved the cursor: use a copy to try alternatives. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_CURSOR_H
#define LOGMATCH_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const char *at;
	const char *end;
};

static inline bool
cursor_at_end(const struct cursor *cursor)
{
	return cursor->at == cursor->end;
}

/* True if the next byte is `expected`. */
static inline bool
cursor_is(const struct cursor *cursor, char expected)
{
	return cursor->at < cursor->end && *cursor->at == expected;
}

/* True if the rest equals `text`. */
static inline bool
cursor_equals(const struct cursor *cursor, const char *text)
{
	size_t length = (size_t)(cursor->end - cursor->at);
	return strlen(text) == length && memcmp(text, cursor->at, length) == 0;
}

static inline bool
cursor_is_digit(const struct cursor *cursor)
{
	return cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
}

static inline bool
cursor_skip_char(struct cursor *cursor, char expected)
{
	if (!cursor_is(cursor, expected))
		return false;
	cursor->at++;
	return true;
}

/* Skip the blank that ends a field, unless the text ends there. */
static inline bool
cursor_skip_blank_or_end(struct cursor *cursor)
{
	return cursor_at_end(cursor) || cursor_skip_char(cursor, ' ');
}

static inline bool
cursor_skip_text(struct cursor *cursor, const char *expected)
{
	size_t length = strlen(expected);
	if ((size_t)(cursor->end - cursor->at) < length ||
		memcmp(cursor->at, expected, length) != 0)
		return false;
	cursor->at += length;
	return true;
}

static inline void
cursor_skip_blanks(struct cursor *cursor)
{
	while (cursor_is(cursor, ' '))
		cursor->at++;
}

/* Take everything up to the next blank or the end. False if that is empty. */
static inline bool
cursor_parse_word(struct cursor *cursor, struct cursor *word)
{
	size_t left = (size_t)(cursor->end - cursor->at);
	const char *blank = left == 0 ? NULL : memchr(cursor->at, ' ', left);
	*word = (struct cursor){cursor->at, blank == NULL ? cursor->end : blank};
	cursor->at = word->end;
	return word->at < word->end;
}

/* Parse exactly `width` digits (at most nine) whose value lies within the bounds. */
static inline bool
cursor_parse_digits(
	struct cursor *cursor, unsigned width, unsigned least, unsigned most, unsigned *out)
{
	unsigned value = 0;
	for (; width > 0; width--, cursor->at++) {
		if (!cursor_is_digit(cursor))
			return false;
		value = 10 * value + (unsigned)(*cursor->at - '0');
	}
	*out = value;
	return value >= least && value <= most;
}

/* Parse all digits that follow: at most 19 of them, so that they fit 64 bits, and a value of at
 * most `max`. */
static inline bool
cursor_parse_number(struct cursor *cursor, uint64_t max, uint64_t *out)
{
	const char *start = cursor->at;
	uint64_t value = 0;
	for (; cursor_is_digit(cursor); cursor->at++) {
		if (cursor->at - start == 19)
			return false;
		value = 10 * value + (uint64_t)(*cursor->at - '0');
	}
	*out = value;
	return cursor->at > start && value <= max;
}

/* Parse the digits after a decimal point, one to nine, as a fraction of a second. */
static inline bool
cursor_parse_fraction_ns(struct cursor *cursor, uint64_t *ns)
{
	/* Nanoseconds of one unit in the last digit, by number of digits. */
	static const uint32_t units[] = {
		0, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
	const char *start = cursor->at;
	uint64_t value = 0;
	for (; cursor_is_digit(cursor) && cursor->at - start < 9; cursor->at++)
		value = 10 * value + (uint64_t)(*cursor->at - '0');
	*ns = value * units[cursor->at - start];
	return cursor->at > start && !cursor_is_digit(cursor);
}

#endif
