/* speech - sentences for people, a paragraph at a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICWHY_SPEECH_H
#define NICWHY_SPEECH_H

#include <stdbool.h>
#include <stdio.h>

struct speech {
	FILE *out;
	unsigned columns; /* no longer lines; 0: each paragraph is one line */
	bool failed;      /* memory ran out */
};

/* How far the paragraphs below a heading are indented. */
#define SPEECH_INDENT 2

/* Says a paragraph. What a terminal could obey in it is shown as \xNN. */
void speech_say(struct speech *speech, unsigned indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Says a heading, with an empty line before it. */
void speech_head(struct speech *speech, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
