/* strbuf - a text put together piece by piece, in memory that grows or in memory of a fixed size.
 *
 * What goes wrong stays in the text, so that who puts it together asks once, at the end. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_STRBUF_H
#define NHM_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All zeros: an empty text in memory that grows. */
struct strbuf {
	char *bytes;         /* ends with a NUL; NULL before the first piece of one that grows */
	size_t length, size; /* without the NUL; of the memory */
	bool is_fixed;       /* the memory is the caller's */
	/* a piece did not fit, or could not be formatted, or memory ran out: nothing is added any
	 * more */
	bool is_short;
};

/* An empty text in the caller's memory, of at least 1 byte: what does not fit is cut off. */
void strbuf_init(struct strbuf *text, char *bytes, size_t size);

/* Copies bytes; formats as printf(3) does. */
void strbuf_add(struct strbuf *text, const char *bytes, size_t length);
void strbuf_addf(struct strbuf *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *text, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Where at least `more` bytes can be written after a text that grows; then strbuf_wrote() says how
 * many were. NULL with ENOMEM, and is_short, when memory runs out. */
char *strbuf_reserve(struct strbuf *text, size_t more);
void strbuf_wrote(struct strbuf *text, size_t length);

/* A stream to the end of a text that grows, for printers that are given a FILE. Unlike that of
 * open_memstream(3), fclose() fails when the text is short. NULL with ENOMEM. */
FILE *strbuf_open(struct strbuf *text);

/* The text of one that grows, from malloc; NULL with ENOMEM when it is short of a piece. The strbuf
 * is all zeros then. */
char *strbuf_detach_new(struct strbuf *text);

/* Leaves the first `length` bytes, of which there are as many. */
void strbuf_cut(struct strbuf *text, size_t length);

/* Empties it and keeps the memory. */
void strbuf_clear(struct strbuf *text);

/* Frees the memory of one that grows. */
void strbuf_fini(struct strbuf *text);

#endif
