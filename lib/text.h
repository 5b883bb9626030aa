/* text - escapes, measures and folds text for a terminal. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_TEXT_H
#define NHM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Return whether the byte is a blank, tab, carriage return or newline, whatever the locale. */
static inline bool
text_is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
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
