/* jsontext - writes JSON into a buffer of fixed size. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_JSONTEXT_H
#define NHM_JSONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Most bytes that one byte of a text takes up when escaped. */
#define JSONTEXT_ESCAPED_SIZE 6

/* The output. Unlike strbuf, which truncates, a piece that does not fit is not written at all, so
 * that the text never ends within a character. */
struct jsontext {
	char *at;
	const char *end;
	bool full; /* something did not fit */
};

/* Write the bytes unchanged, all or none. */
static inline void
jsontext_put(struct jsontext *text, const char *bytes, size_t length)
{
	if (length > (size_t)(text->end - text->at)) {
		text->full = true;
		return;
	}
	memcpy(text->at, bytes, length);
	text->at += length;
}

/* Write a string literal; the compiler knows its length. */
#define JSONTEXT_PUT(text, literal) jsontext_put(text, literal, sizeof(literal) - 1)

/* Write characters, escaped, while there is room. Return the number of input bytes written. */
size_t jsontext_put_escaped(struct jsontext *text, const char *bytes, size_t length);

/* Write a text, escaped and in quotes. */
void jsontext_put_string(struct jsontext *text, const char *string);

/* Write a text in quotes, or null for NULL. */
void jsontext_put_nullable(struct jsontext *text, const char *string);

void jsontext_put_number(struct jsontext *text, uint64_t value);

/* Write a number like rec_u64_new(): above 2^63-1 as a decimal string. */
void jsontext_put_u64(struct jsontext *text, uint64_t value);

void jsontext_put_bool(struct jsontext *text, bool value);

/* Write a message, cut to the room left and then ended with an ellipsis. Return false, and write
 * nothing, if there is no room even for the ellipsis. */
bool jsontext_put_cut(struct jsontext *text, const char *message, size_t length);

#endif
