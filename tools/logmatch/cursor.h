/* cursor - small steps through a text that has an end and no NUL: past what is expected, or
 * nothing.
 *
 * A step that fails may have moved the cursor: who wants to try something else goes on with a
 * copy. */
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

/* The next byte is this one. */
static inline bool
cursor_is(const struct cursor *cursor, char expected)
{
	return cursor->at < cursor->end && *cursor->at == expected;
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

/* Everything up to the next blank or the end; false when that is nothing. */
static inline bool
cursor_parse_word(struct cursor *cursor, struct cursor *word)
{
	size_t left = (size_t)(cursor->end - cursor->at);
	const char *blank = left == 0 ? NULL : memchr(cursor->at, ' ', left);
	*word = (struct cursor){cursor->at, blank == NULL ? cursor->end : blank};
	cursor->at = word->end;
	return word->at < word->end;
}

/* Exactly `width` digits, up to nine, of a value within the bounds. */
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

/* All digits that follow: a number of at most 19 of them, which 64 bits hold, and not above
 * `max`. */
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

/* The digits after a decimal point, one to nine, of a second. */
static inline bool
cursor_parse_fraction_ns(struct cursor *cursor, uint64_t *ns)
{
	/* What one in the last place is worth, by the number of places. */
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
