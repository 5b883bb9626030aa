/* jsontext - text as JSON, written into a bounded place. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_JSONTEXT_H
#define NHM_JSONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A text being written. No strbuf, which cuts off: a piece that does not fit is not written at all,
 * so that what is there are whole characters. */
struct jsontext {
	char *at;
	const char *end;
	bool full; /* something did not fit */
};

/* Writes the bytes as they are, all of them or none. */
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

/* For literals, whose length the compiler knows. */
#define JSONTEXT_PUT(text, literal) jsontext_put(text, literal, sizeof(literal) - 1)

/* Writes whole characters while there is room; returns how many bytes they take up. */
size_t jsontext_put_escaped(struct jsontext *text, const char *bytes, size_t length);

/* A text, escaped, in quotes. */
void jsontext_put_string(struct jsontext *text, const char *string);

/* The same, or null for NULL. */
void jsontext_put_nullable(struct jsontext *text, const char *string);

void jsontext_put_number(struct jsontext *text, uint64_t value);

/* As rec_u64_new() has it: above 2^63-1 a decimal string. */
void jsontext_put_u64(struct jsontext *text, uint64_t value);

void jsontext_put_bool(struct jsontext *text, bool value);

/* Writes a message into what room there is, cut if need be. False, and nothing is written, when
 * there is not even room for saying so. */
bool jsontext_put_cut(struct jsontext *text, const char *message, size_t length);

#endif
