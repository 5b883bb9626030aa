/* matcher - finds the pattern of a message. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "matcher.h"

#include "lockup.h"

#include <stdlib.h>
#include <string.h>

/* Meanings of keys, one bit each: first the rows of pattern_rows by index, then the others. */
#define ROWS_MAX 60
#define MEANS_FRAME (UINT64_C(1) << 60)
#define MEANS_SUPPRESSED (UINT64_C(1) << 61)
#define MEANS_RECORD (UINT64_C(1) << 62)
#define MEANS_MESSAGE (UINT64_C(1) << 63)
#define MEANS_ROWS (MEANS_FRAME - 1)

/* Keys of records of the other tools and of journalctl's JSON. */
#define RECORD_KEY "\"kind\":"
#define MESSAGE_KEY "\"MESSAGE\""

struct matcher {
	struct sieve *sieve;
	struct rx *expressions[ROWS_MAX], *starts[ROWS_MAX];
	bool enabled[LOGPATTERN_N];
	struct sieve_key keys[SIEVE_KEYS_MAX];
	size_t key_count;
};

/* --- expressions --- */

/* Return the end of the part that begins at `at`: the next `.*` outside all groups, or the end. */
static const char *
part_end(const char *at)
{
	int depth = 0;
	for (; *at != '\0'; at++) {
		if (*at == '\\' && at[1] != '\0')
			at++;
		else if (*at == '(')
			depth++;
		else if (*at == ')')
			depth--;
		else if (depth == 0 && at[0] == '.' && at[1] == '*')
			break;
	}
	return at;
}

/* Copy a part and make each `.*` in it lazy. Such a `.*` occurs only in a group that matches two
 * texts in either order: if the second text does not follow the first occurrence of the first one,
 * (*COMMIT) ends the search. Return the end of the copy. */
static char *
copy_part(char *out, const char *part, const char *end)
{
	while (part < end) {
		bool any = part[0] == '.' && end - part > 1 && part[1] == '*';
		if (any)
			out = stpcpy(out, "(*COMMIT)");
		if ((any || part[0] == '\\') && end - part > 1)
			*out++ = *part++;
		*out++ = *part++;
		if (any)
			*out++ = '?';
	}
	return out;
}

char *
matcher_linear_new(const char *expression)
{
	/* A part of at least one byte grows by eight bytes, and each `.*` in it by ten. */
	char *text = malloc(sizeof "\\A" + 10 * strlen(expression) + 8);
	if (text == NULL)
		return NULL;
	char *out = stpcpy(text, "\\A");
	for (;;) {
		const char *end = part_end(expression);
		out = stpcpy(out, "(?>.*?");
		out = copy_part(out, expression, end);
		out = stpcpy(out, ")");
		if (*end == '\0')
			return text;
		expression = end + strlen(".*");
	}
}

/* --- keys --- */

static bool
add_key(struct matcher *matcher, const char *text, uint64_t meaning)
{
	size_t i = 0;
	while (i < matcher->key_count && strcmp(matcher->keys[i].text, text) != 0)
		i++;
	if (i == SIEVE_KEYS_MAX)
		return false;
	if (i == matcher->key_count)
		matcher->keys[matcher->key_count++] = (struct sieve_key){text, 0};
	matcher->keys[i].meaning |= meaning;
	return true;
}

/* Compile the expression and free it. `expression` may be NULL. */
static struct rx *
compiled_new(char *expression)
{
	struct rx_error error;
	struct rx *rx =
		expression != NULL ? rx_bytes_new(expression, strlen(expression), &error) : NULL;
	free(expression);
	return rx;
}

/* Anchor the expression for the start of a body. */
static char *
anchored_new(const char *start)
{
	char *text = malloc(sizeof "\\A(?:)" + strlen(start));
	if (text != NULL)
		stpcpy(stpcpy(stpcpy(text, "\\A(?:"), start), ")");
	return text;
}

static bool
add_row(struct matcher *matcher, size_t row)
{
	if (row >= ROWS_MAX)
		return false;
	matcher->expressions[row] = compiled_new(matcher_linear_new(pattern_rows[row].expression));
	matcher->starts[row] = compiled_new(anchored_new(pattern_rows[row].start));
	return matcher->expressions[row] != NULL && matcher->starts[row] != NULL &&
	       add_key(matcher, pattern_rows[row].key, UINT64_C(1) << row);
}

static bool
add_all(struct matcher *matcher, const bool enabled[LOGPATTERN_N])
{
	bool lockups = false;
	size_t rows = pattern_row_count;

	/* A line that matches a disabled pattern must not match a later one. So omit only disabled
	 * rows at the end. */
	while (rows > 0 && !enabled[pattern_rows[rows - 1].pattern])
		rows--;
	for (size_t row = 0; row < rows; row++) {
		if (!add_row(matcher, row))
			return false;
	}
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		lockups |= enabled[pattern] && pattern_of(pattern)->stateful;
	for (size_t i = 0; lockups && i < lockupline_key_count; i++) {
		if (!add_key(matcher, lockupline_keys[i], MEANS_FRAME))
			return false;
	}
	return add_key(matcher, PATTERN_SUPPRESSED_KEY, MEANS_SUPPRESSED) &&
	       add_key(matcher, RECORD_KEY, MEANS_RECORD) &&
	       add_key(matcher, MESSAGE_KEY, MEANS_MESSAGE);
}

struct matcher *
matcher_new(const bool enabled[LOGPATTERN_N])
{
	struct matcher *matcher = calloc(1, sizeof *matcher);
	if (matcher == NULL)
		return NULL;
	memcpy(matcher->enabled, enabled, sizeof matcher->enabled);
	if (add_all(matcher, enabled))
		matcher->sieve = sieve_new(matcher->keys, matcher->key_count);
	if (matcher->sieve == NULL) {
		matcher_free(matcher);
		return NULL;
	}
	return matcher;
}

void
matcher_free(struct matcher *matcher)
{
	if (matcher == NULL)
		return;
	for (size_t row = 0; row < ROWS_MAX; row++) {
		rx_free(matcher->expressions[row]);
		rx_free(matcher->starts[row]);
	}
	sieve_free(matcher->sieve);
	free(matcher);
}

/* --- matching --- */

/* Return true if the JSON value after the key is an array. */
static bool
is_array(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == ':'))
		at++;
	return at < end && *at == '[';
}

bool
matcher_is_candidate(uint64_t meaning, const char *line, size_t length)
{
	if (meaning != MEANS_MESSAGE)
		return meaning != 0;
	const char *key = memmem(line, length, MESSAGE_KEY, strlen(MESSAGE_KEY));
	/* Any character may be escaped in JSON: some writers escape `'` and `/`. */
	return (key != NULL && is_array(key + strlen(MESSAGE_KEY), line + length)) ||
	       memmem(line, length, "\\u", 2) != NULL || memmem(line, length, "\\/", 2) != NULL;
}

uint64_t
matcher_meaning(const struct matcher *matcher, const char *text, size_t length)
{
	return sieve_meaning(matcher->sieve, text, 0, 0, length);
}

const struct sieve *
matcher_sieve(const struct matcher *matcher)
{
	return matcher->sieve;
}

/* Match a row: the message has one of its forms, its body begins as the row says, and its text
 * matches. */
static enum rx_verdict
try_row(const struct matcher *matcher, size_t row, const struct printer *printer, const char *text,
	size_t length)
{
	if ((printer->forms & pattern_rows[row].forms) == 0)
		return RX_ABSENT;
	enum rx_verdict begins =
		rx_find(matcher->starts[row], printer->body, printer->body_length, NULL);
	return begins == RX_FOUND ? rx_find(matcher->expressions[row], text, length, NULL) : begins;
}

struct match
matcher_match(const struct matcher *matcher, const char *text, size_t length, uint64_t meaning)
{
	struct match match = {.pattern = LOGPATTERN_N};
	uint64_t rows = meaning & MEANS_ROWS;

	if (length > MATCHER_TEXT_MAX_BYTES)
		length = MATCHER_TEXT_MAX_BYTES;
	match.is_frame = (meaning & MEANS_FRAME) != 0;
	match.is_suppressed = (meaning & MEANS_SUPPRESSED) != 0;
	if (rows == 0 || !printer_parse(text, length, &match.printer))
		return match;
	for (; rows != 0; rows &= rows - 1) {
		size_t row = (size_t)__builtin_ctzll(rows);
		switch (try_row(matcher, row, &match.printer, text, length)) {
		case RX_FOUND:
			if (matcher->enabled[pattern_rows[row].pattern])
				match.pattern = pattern_rows[row].pattern;
			return match;
		case RX_GAVE_UP:
			match.gave_up = true;
			break;
		case RX_ABSENT:
			break;
		}
	}
	return match;
}
