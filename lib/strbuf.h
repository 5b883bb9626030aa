/* strbuf - builds a text piece by piece, in memory that grows or in memory of a fixed size.
 *
 * A failure is recorded in the text, so that the caller checks once, at the end. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_STRBUF_H
#define NHM_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All zeros: an empty text that grows. */
struct strbuf {
	char *bytes;         /* ends with a NUL; NULL before the first piece if it grows */
	size_t length, size; /* length without the NUL; size of the memory */
	bool is_fixed;       /* the caller owns the memory */
	/* a piece did not fit, could not be formatted, or memory ran out: nothing more is added */
	bool is_short;
};

/* Begin an empty text in the caller's memory of at least 1 byte. What does not fit is cut off. */
void strbuf_init(struct strbuf *text, char *bytes, size_t size);

/* Append bytes; append text formatted as by printf(3). */
void strbuf_add(struct strbuf *text, const char *bytes, size_t length);
void strbuf_addf(struct strbuf *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *text, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Make more room: only for strbuf_reserve(), whose part that is called often is inline. */
char *strbuf_grow(struct strbuf *text, size_t more);

/* Return where to write at least `more` bytes after a text that grows; then pass the number written
 * to strbuf_wrote(). Return NULL with ENOMEM, and set is_short, when out of memory. */
static inline char *
strbuf_reserve(struct strbuf *text, size_t more)
{
	if (!text->is_short && more < text->size - text->length)
		return text->bytes + text->length;
	return strbuf_grow(text, more);
}

static inline void
strbuf_wrote(struct strbuf *text, size_t length)
{
	text->length += length;
	text->bytes[text->length] = '\0';
}

/* Open a stream that appends to a text that grows, for functions that print to a FILE. Unlike with
 * open_memstream(3), fclose() fails if the text is short. Return NULL with ENOMEM. */
FILE *strbuf_open(struct strbuf *text);

/* Return the text of one that grows, from malloc, or NULL with ENOMEM if it is short. The strbuf
 * becomes all zeros. */
char *strbuf_detach_new(struct strbuf *text);

/* Keep only the first `length` bytes; the text must be at least that long. */
void strbuf_cut(struct strbuf *text, size_t length);

/* Empty the text, but keep the memory. */
void strbuf_clear(struct strbuf *text);

/* Free the memory of a text that grows. */
void strbuf_fini(struct strbuf *text);

#endif
