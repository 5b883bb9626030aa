/* speech - prints sentences as paragraphs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICWHY_SPEECH_H
#define NICWHY_SPEECH_H

#include <stdbool.h>
#include <stdio.h>

struct speech {
	FILE *out;
	unsigned columns; /* maximum width of a line; 0: a line per paragraph */
	bool failed;      /* memory ran out */
};

/* Indent of paragraphs below a heading. */
#define SPEECH_INDENT 2

/* Print a paragraph. Control characters are shown as \xNN. */
void speech_say(struct speech *speech, unsigned indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Print a heading after an empty line. */
void speech_head(struct speech *speech, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
