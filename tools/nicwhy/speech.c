/* speech - prints sentences as paragraphs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "speech.h"

#include "strbuf.h"
#include "text.h"

#include <stdarg.h>
#include <stdlib.h>

/* Extra indent of a paragraph's further lines. */
#define HANG 2

static void __attribute__((format(printf, 3, 0)))
say(struct speech *speech, unsigned indent, const char *format, va_list arguments)
{
	struct strbuf text = {0};
	strbuf_vaddf(&text, format, arguments);
	char *safe = text.is_short ? NULL : text_new(text.bytes, text.length);
	strbuf_fini(&text);
	if (safe == NULL) {
		speech->failed = true;
		return;
	}
	if (speech->columns > 0)
		text_fold(safe, indent, HANG, speech->columns, speech->out);
	else
		fprintf(speech->out, "%*s%s\n", (int)indent, "", safe);
	free(safe);
}

void
speech_say(struct speech *speech, unsigned indent, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(speech, indent, format, arguments);
	va_end(arguments);
}

void
speech_head(struct speech *speech, const char *format, ...)
{
	va_list arguments;
	fputc('\n', speech->out);
	va_start(arguments, format);
	say(speech, 0, format, arguments);
	va_end(arguments);
}
