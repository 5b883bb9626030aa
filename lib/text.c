/* text - tests and compares text; escapes, measures and folds it for a terminal. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include "utf8.h"

#include <stdlib.h>

char *
text_new(const char *text, size_t length)
{
	/* Every byte may become \xNN. */
	size_t size = 4 * length + 1;
	char *safe = malloc(size);
	if (safe != NULL)
		utf8_escape(text, length, safe, size);
	return safe;
}

static bool
begins_character(char byte)
{
	return ((unsigned char)byte & 0xC0) != 0x80;
}

size_t
text_width(const char *text)
{
	size_t width = 0;
	for (; *text != '\0'; text++)
		width += begins_character(*text);
	return width;
}

/* Return the bytes of the longest prefix of `text` that ends before a blank or at the end and has
 * at most `columns` characters, or of the first word if that is longer. */
static size_t
line_length(const char *text, size_t columns)
{
	size_t width = 0, fits = 0;
	for (size_t i = 0;; i++) {
		if ((text[i] == ' ' || text[i] == '\0') && (width <= columns || fits == 0))
			fits = i;
		if (text[i] == '\0' || (width > columns && fits > 0))
			return fits;
		width += begins_character(text[i]);
	}
}

void
text_fold(const char *text, size_t indent, size_t hang, size_t columns, FILE *out)
{
	for (size_t before = indent;; before = indent + hang) {
		size_t room = columns > before ? columns - before : 1;
		text += strspn(text, " ");
		if (*text == '\0')
			return;
		size_t length = line_length(text, room), shown = length;
		while (text[shown - 1] == ' ')
			shown--;
		fprintf(out, "%*s%.*s\n", (int)before, "", (int)shown, text);
		text += length;
	}
}
