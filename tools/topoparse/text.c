/* text - cleans captured terminal output and splits it into lines and words. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include "words.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ESC '\x1b'
#define BEL '\a'

/* Return the length of the operating system command (a window title, a link) at `at`, or 0 if it
 * has no end on its line. */
static size_t
command_length(const char *at, size_t length)
{
	for (size_t i = 2; i < length && at[i] != '\n'; i++) {
		if (at[i] == BEL)
			return i + 1;
		if (at[i] == ESC && i + 1 < length && at[i + 1] == '\\')
			return i + 2;
	}
	return 0;
}

/* Return the length of the escape sequence at `at` (ECMA-48), or 0 if it must stay. `*final` is the
 * last byte of a control sequence, otherwise NUL. */
static size_t
escape_length(const char *at, size_t length, char *final)
{
	*final = '\0';
	if (length < 2)
		return 0;
	if (at[1] == ']')
		return command_length(at, length);

	bool is_control = at[1] == '[';
	size_t i = is_control ? 2 : 1;
	while (is_control && i < length && at[i] >= 0x30 && at[i] <= 0x3F)
		i++;
	while (i < length && at[i] >= 0x20 && at[i] <= 0x2F)
		i++;
	if (i == length || at[i] < (is_control ? 0x40 : 0x30) || at[i] > 0x7E)
		return 0;
	if (is_control)
		*final = at[i];
	return i + 1;
}

char *
text_clean_new(const char *text, size_t length, size_t *clean_length)
{
	/* Final bytes of sequences that set colours or modes or erase, but do not move the
	 * cursor. */
	static const char harmless[] = "mKJXhln";
	char *clean = malloc(length + 1);
	size_t used = 0;
	bool is_blank_line = true;

	if (clean == NULL)
		return NULL;
	size_t i = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	while (i < length) {
		char final;
		size_t escape = text[i] == ESC ? escape_length(text + i, length - i, &final) : 0;
		if (escape > 0 &&
			(final == '\0' || strchr(harmless, final) != NULL || is_blank_line)) {
			i += escape;
			continue;
		}
		if (escape > 0 && final == 'C') {
			clean[used++] = ' ';
			i += escape;
			continue;
		}
		if (text[i] == '\n')
			is_blank_line = true;
		else if (text[i] != ' ' && text[i] != '\t')
			is_blank_line = false;
		clean[used++] = text[i++];
	}
	clean[used] = '\0';
	*clean_length = used;
	return clean;
}

bool
text_next_line(struct text_span *rest, struct text_line *line)
{
	if (rest->length == 0)
		return false;
	const char *newline = memchr(rest->at, '\n', rest->length);
	line->is_ended = newline != NULL;
	line->text = *rest;
	line->number++;
	if (newline != NULL)
		line->text.length = (size_t)(newline - rest->at);
	*rest = text_behind(*rest, line->text.length + (line->is_ended ? 1 : 0));
	while (line->text.length > 0 && line->text.at[line->text.length - 1] == '\r')
		line->text.length--;
	return true;
}

static bool
is_gap(char c)
{
	return c == ' ' || c == '\t';
}

bool
text_next_word(struct text_span *rest, struct text_span *word)
{
	size_t start = 0, end;

	while (start < rest->length && is_gap(rest->at[start]))
		start++;
	for (end = start; end < rest->length && !is_gap(rest->at[end]); end++)
		;
	*word = (struct text_span){rest->at + start, end - start};
	*rest = text_behind(*rest, end);
	return word->length > 0;
}

struct text_span
text_trim(struct text_span span)
{
	while (span.length > 0 && is_gap(span.at[span.length - 1]))
		span.length--;
	while (span.length > 0 && is_gap(*span.at))
		span = text_behind(span, 1);
	return span;
}

struct text_span
text_behind(struct text_span span, size_t count)
{
	return (struct text_span){span.at + count, span.length - count};
}

bool
text_is(struct text_span span, const char *text)
{
	return words_equal(text, span.at, span.length);
}

bool
text_is_same(struct text_span a, struct text_span b)
{
	return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

bool
text_begins(struct text_span span, const char *text)
{
	size_t length = strlen(text);
	return span.length >= length && memcmp(span.at, text, length) == 0;
}

bool
text_has(struct text_span span, const char *part)
{
	return memmem(span.at, span.length, part, strlen(part)) != NULL;
}

size_t
text_digits(struct text_span span)
{
	size_t count = 0;
	while (count < span.length && span.at[count] >= '0' && span.at[count] <= '9')
		count++;
	return count;
}

unsigned
text_number(struct text_span span, size_t digits)
{
	unsigned value = 0;
	for (size_t i = 0; i < digits; i++)
		value = value * 10 + (unsigned)(span.at[i] - '0');
	return value;
}

bool
text_is_name(struct text_span span)
{
	if (span.length == 0 || span.length > TOPO_NAME_MAX || !isalpha((unsigned char)*span.at))
		return false;
	for (size_t i = 0; i < span.length; i++) {
		char c = span.at[i];
		if (!isalnum((unsigned char)c) && c != '_' && c != '-' && c != '.')
			return false;
	}
	return isalnum((unsigned char)span.at[span.length - 1]) != 0;
}

void
text_copy(char *out, size_t size, struct text_span span)
{
	assert(span.length < size);
	memcpy(out, span.at, span.length);
	out[span.length] = '\0';
}
