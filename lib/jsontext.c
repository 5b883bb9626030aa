/* jsontext - writes JSON into a buffer of fixed size. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "jsontext.h"

#include "num.h"
#include "utf8.h"
#include "wraps.h"

#include <stdint.h>

#define ELLIPSIS "\xE2\x80\xA6"    /* U+2026 */
#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Return true if none of eight bytes is a control character, a quote, a backslash or part of a
 * multi-byte character. A subtraction sets a byte's highest bit, or borrows from the next byte,
 * only if some byte is one of these, so the result for all eight is exact. The borrow out of the
 * word does not matter. */
WRAPS static inline bool
are_plain(const char *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof word);
	uint64_t control = word - 0x20 * EACH_BYTE;
	uint64_t quote = (word ^ '"' * EACH_BYTE) - EACH_BYTE;
	uint64_t backslash = (word ^ '\\' * EACH_BYTE) - EACH_BYTE;
	return ((word | control | quote | backslash) & 0x80 * EACH_BYTE) == 0;
}

static inline bool
is_plain(char byte)
{
	return (unsigned char)byte >= 0x20 && (unsigned char)byte < 0x80 && byte != '"' &&
	       byte != '\\';
}

/* Return the number of leading bytes that need no escape. */
static size_t
plain_length(const char *bytes, size_t length)
{
	size_t at = 0;
	while (length - at >= 8 && are_plain(bytes + at))
		at += 8;
	/* Check the last bytes together with preceding ones that are known to be plain. */
	if (at > 0 && length - at < 8 && are_plain(bytes + length - 8))
		return length;
	while (at < length && is_plain(bytes[at]))
		at++;
	return at;
}

/* Write the first character of `bytes`, which has at least one byte, escaped as jansson does.
 * Return its length in the input. */
static size_t
put_character(struct jsontext *text, const char *bytes, size_t length)
{
	static const char digits[] = "0123456789ABCDEF";
	static const char letters[0x20] = {
		['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
	unsigned char c = (unsigned char)*bytes;
	size_t width = c == '\0' ? 0 : utf8_char(bytes, length);

	if (width == 0)
		JSONTEXT_PUT(text, REPLACEMENT);
	else if (c == '"' || c == '\\')
		jsontext_put(text, (const char[]){'\\', *bytes}, 2);
	else if (c >= 0x20)
		jsontext_put(text, bytes, width);
	else if (letters[c] != '\0')
		jsontext_put(text, (const char[]){'\\', letters[c]}, 2);
	else
		jsontext_put(text,
			(const char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 0xf]}, 6);
	return width > 0 ? width : 1;
}

size_t
jsontext_put_escaped(struct jsontext *text, const char *bytes, size_t length)
{
	size_t done = 0;
	while (done < length && !text->full) {
		size_t room = (size_t)(text->end - text->at), left = length - done;
		size_t plain = plain_length(bytes + done, left < room ? left : room);
		jsontext_put(text, bytes + done, plain);
		done += plain;
		if (done == length)
			break;
		size_t width = put_character(text, bytes + done, length - done);
		if (!text->full)
			done += width;
	}
	return done;
}

void
jsontext_put_string(struct jsontext *text, const char *string)
{
	JSONTEXT_PUT(text, "\"");
	jsontext_put_escaped(text, string, strlen(string));
	JSONTEXT_PUT(text, "\"");
}

void
jsontext_put_nullable(struct jsontext *text, const char *string)
{
	if (string != NULL)
		jsontext_put_string(text, string);
	else
		JSONTEXT_PUT(text, "null");
}

void
jsontext_put_number(struct jsontext *text, uint64_t value)
{
	char digits[NUM_U64_SIZE];
	if ((size_t)(text->end - text->at) >= sizeof digits) {
		text->at += num_format_u64(value, text->at);
		return;
	}
	size_t length = num_format_u64(value, digits);
	jsontext_put(text, digits, length);
}

void
jsontext_put_u64(struct jsontext *text, uint64_t value)
{
	bool is_string = value > INT64_MAX;
	if (is_string)
		JSONTEXT_PUT(text, "\"");
	jsontext_put_number(text, value);
	if (is_string)
		JSONTEXT_PUT(text, "\"");
}

void
jsontext_put_bool(struct jsontext *text, bool value)
{
	if (value)
		JSONTEXT_PUT(text, "true");
	else
		JSONTEXT_PUT(text, "false");
}

bool
jsontext_put_cut(struct jsontext *text, const char *message, size_t length)
{
	const size_t ellipsis = strlen(ELLIPSIS);
	size_t room = (size_t)(text->end - text->at);
	struct jsontext cut = {
		.at = text->at, .end = text->end - (room < ellipsis ? room : ellipsis)};
	size_t done = jsontext_put_escaped(&cut, message, length);
	struct jsontext rest = {.at = cut.at, .end = text->end};

	if (done + jsontext_put_escaped(&rest, message + done, length - done) == length) {
		text->at = rest.at;
		return true;
	}
	if (room < ellipsis)
		return false;
	text->at = cut.at;
	JSONTEXT_PUT(text, ELLIPSIS);
	return true;
}
