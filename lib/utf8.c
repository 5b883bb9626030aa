/* utf8 - makes text from outside safe: valid UTF-8 for records, printable for terminals. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

size_t
utf8_char(const char *text, size_t length)
{
	if (length == 0)
		return 0;

	const unsigned char *s = (const unsigned char *)text;
	if (s[0] < 0x80)
		return 1;

	size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
	if (s[0] < 0xC2 || s[0] > 0xF4 || n > length)
		return 0;

	uint32_t code = s[0] & (0xFFu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3F);
	}

	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	bool surrogate = code >= 0xD800 && code <= 0xDFFF;
	return code < smallest[n] || code > 0x10FFFF || surrogate ? 0 : n;
}

bool
utf8_is_valid(const char *text)
{
	for (size_t length = strlen(text); length > 0;) {
		size_t n = utf8_char(text, length);
		if (n == 0)
			return false;
		text += n;
		length -= n;
	}
	return true;
}

/* Return whether the character affects the text around it on a terminal: line and paragraph
 * separators, and controls of the writing direction (Unicode Standard Annex #9), which can display
 * a text in another order. */
static bool
is_format_control(const unsigned char *s, size_t n)
{
	if (n == 2)
		return s[0] == 0xD8 && s[1] == 0x9C; /* U+061C */
	if (n != 3 || s[0] != 0xE2)
		return false;
	return s[1] == 0x80 ? s[2] == 0x8E || s[2] == 0x8F ||               /* U+200E, U+200F */
				      (s[2] >= 0xA8 && s[2] <= 0xAE)        /* U+2028 to U+202E */
			    : s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9; /* U+2066 to U+2069 */
}

/* Append n bytes if they fit before the final NUL. Return whether they did. */
static bool
append(char *out, size_t size, size_t *used, const char *bytes, size_t n)
{
	if (*used + n + 1 > size)
		return false;
	memcpy(out + *used, bytes, n);
	*used += n;
	return true;
}

size_t
utf8_sanitize(const char *text, size_t length, char *out, size_t size)
{
	if (size == 0)
		return 0;

	size_t used = 0;
	for (size_t i = 0; i < length;) {
		size_t n = text[i] == '\0' ? 0 : utf8_char(text + i, length - i);
		bool fits = n > 0 ? append(out, size, &used, text + i, n)
				  : append(out, size, &used, REPLACEMENT, strlen(REPLACEMENT));
		if (!fits)
			break;
		i += n > 0 ? n : 1;
	}
	out[used] = '\0';
	return used;
}

size_t
utf8_escape(const char *text, size_t length, char *out, size_t size)
{
	if (size == 0)
		return 0;

	size_t used = 0;
	for (size_t i = 0; i < length;) {
		const unsigned char *s = (const unsigned char *)text + i;
		size_t n = utf8_char(text + i, length - i);
		/* C0, DEL, and C1 in its two-byte form: some terminals obey C1 as they do ESC. */
		bool control = s[0] < 0x20 || s[0] == 0x7F ||
			       (n == 2 && s[0] == 0xC2 && s[1] < 0xA0) || is_format_control(s, n);

		if (n > 0 && !control) {
			if (!append(out, size, &used, text + i, n))
				break;
			i += n;
			continue;
		}
		char hex[5];
		snprintf(hex, sizeof hex, "\\x%02x", s[0]);
		if (!append(out, size, &used, hex, 4))
			break;
		i++;
	}
	out[used] = '\0';
	return used;
}

size_t
utf8_cut(const char *text, size_t length, size_t limit)
{
	if (limit >= length)
		return length;
	while (limit > 0 && ((unsigned char)text[limit] & 0xC0) == 0x80)
		limit--;
	return limit;
}
