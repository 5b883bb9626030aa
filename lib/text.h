/* text - texts, made fit for a line on a terminal. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_TEXT_H
#define NHM_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* The text with everything that a terminal could obey as \xNN (utf8_escape), nothing cut. From
 * malloc; NULL when memory runs out. */
char *text_new(const char *text, size_t length);

/* How many characters the text has, which must be valid UTF-8. */
size_t text_width(const char *text);

/* Prints the text in lines of at most `columns` characters, the first after `indent` blanks, and
 * the others after `hang` more: broken at blanks, and a word that is longer goes beyond. */
void text_fold(const char *text, size_t indent, size_t hang, size_t columns, FILE *out);

#endif
