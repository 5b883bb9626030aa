/* strbuf - builds a text piece by piece. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "strbuf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 256

void
strbuf_init(struct strbuf *text, char *bytes, size_t size)
{
	*text = (struct strbuf){.bytes = bytes, .size = size, .is_fixed = true};
	bytes[0] = '\0';
}

char *
strbuf_grow(struct strbuf *text, size_t more)
{
	char *bytes = NULL;
	size_t twice = text->size == 0 ? FIRST_SIZE : 2 * text->size, size = 0;
	/* Check the size here: with the sanitizers, a huge realloc(3) ends the program. */
	if (!text->is_short && more < SIZE_MAX / 4 - text->length) {
		size = text->length + more < twice ? twice : text->length + more + 1;
		bytes = realloc(text->bytes, size);
	}
	if (bytes == NULL) {
		text->is_short = true;
		errno = ENOMEM;
		return NULL;
	}
	bytes[text->length] = '\0';
	text->bytes = bytes;
	text->size = size;
	return bytes + text->length;
}

static ssize_t
write_piece(void *context, const char *bytes, size_t length)
{
	struct strbuf *text = context;
	strbuf_add(text, bytes, length);
	return text->is_short ? 0 : (ssize_t)length;
}

FILE *
strbuf_open(struct strbuf *text)
{
	return fopencookie(text, "w", (cookie_io_functions_t){.write = write_piece});
}

/* Make room for a piece. Return how many of its bytes to write. */
static size_t
make_room(struct strbuf *text, size_t wanted)
{
	if (text->is_short)
		return 0;
	if (!text->is_fixed)
		return strbuf_reserve(text, wanted) != NULL ? wanted : 0;
	size_t room = text->size - text->length - 1;
	text->is_short = wanted > room;
	return wanted < room ? wanted : room;
}

void
strbuf_add(struct strbuf *text, const char *bytes, size_t length)
{
	size_t kept = length;
	if (text->is_short || length >= text->size - text->length)
		kept = make_room(text, length);
	if (kept == 0)
		return;
	memcpy(text->bytes + text->length, bytes, kept);
	strbuf_wrote(text, kept);
}

void
strbuf_addf(struct strbuf *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	strbuf_vaddf(text, format, arguments);
	va_end(arguments);
}

void
strbuf_vaddf(struct strbuf *text, const char *format, va_list arguments)
{
	va_list measured;
	va_copy(measured, arguments);
	int wanted = vsnprintf(NULL, 0, format, measured);
	va_end(measured);
	if (wanted < 0) {
		text->is_short = true;
		return;
	}
	size_t kept = make_room(text, (size_t)wanted);
	if (kept == 0)
		return;
	vsnprintf(text->bytes + text->length, kept + 1, format, arguments);
	text->length += kept;
}

char *
strbuf_detach_new(struct strbuf *text)
{
	char *bytes = NULL;
	if (strbuf_reserve(text, 0) != NULL)
		bytes = text->bytes;
	else
		free(text->bytes);
	*text = (struct strbuf){0};
	return bytes;
}

void
strbuf_cut(struct strbuf *text, size_t length)
{
	text->length = length;
	text->bytes[length] = '\0';
}

void
strbuf_clear(struct strbuf *text)
{
	text->length = 0;
	text->is_short = false;
	if (text->bytes != NULL)
		text->bytes[0] = '\0';
}

void
strbuf_fini(struct strbuf *text)
{
	free(text->bytes);
	*text = (struct strbuf){0};
}
