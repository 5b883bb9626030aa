/* text - tests and compares text; escapes, measures and folds it for a terminal. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_TEXT_H
#define NHM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Return whether the byte is a blank, tab, carriage return or newline, whatever the locale. */
static inline bool
text_is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Return whether the byte is a decimal digit, whatever the locale. */
static inline bool
text_is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Return the value of a hexadecimal digit in either case, or -1 for any other byte. */
static inline int
text_hex_digit(char byte)
{
	if (text_is_digit(byte))
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* Return whether the text begins with the prefix. */
static inline bool
text_has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Return whether both texts are there and equal; each may be NULL. */
static inline bool
text_equals(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* The same, but NULL equals NULL. */
static inline bool
text_is_same(const char *a, const char *b)
{
	return a == b || text_equals(a, b);
}

/* Return the text, "" for NULL. */
static inline const char *
text_or_empty(const char *text)
{
	return text != NULL ? text : "";
}

/* Return the ending of a regular noun after `count`. */
static inline const char *
text_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* Return a copy of the text, uncut, with every byte that could control a terminal as \xNN
 * (utf8_escape). From malloc; NULL when out of memory. */
char *text_new(const char *text, size_t length);

/* Return the number of characters of the text, which must be valid UTF-8. */
size_t text_width(const char *text);

/* Print the text in lines of at most `columns` characters, broken at blanks. Indent the first by
 * `indent` blanks, the others by `hang` more. A longer word exceeds the limit. */
void text_fold(const char *text, size_t indent, size_t hang, size_t columns, FILE *out);

#endif
