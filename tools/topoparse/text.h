/* text - cleans captured terminal output and splits it into lines and words. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_TEXT_H
#define TOPOPARSE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Part of a text; not NUL-terminated. */
struct text_span {
	const char *at;
	size_t length;
};

struct text_line {
	struct text_span text; /* without its line end */
	size_t number;         /* from 1 */
	bool is_ended;         /* false for a last line without newline, which may be cut off */
};

/* Arguments for "%.*s": at most 40 bytes of the span. */
#define TEXT_SHOWN(span) ((int)((span).length < 40 ? (span).length : 40)), (span).at

/* Return a copy without byte order mark and escape sequences, to free(); NULL when memory runs out.
 * On a line that is still blank, every sequence is removed. After that, a cursor movement to the
 * right becomes a blank; other movements, which would mix up lines, stay, so that the parser
 * rejects the word around them. A sequence without an end always stays. */
char *text_clean_new(const char *text, size_t length, size_t *clean_length);

/* Cut the next line off `rest` and increment `line->number`, which must start at 0. Return false at
 * the end. */
bool text_next_line(struct text_span *rest, struct text_line *line);

/* Cut the next word off `rest`: blanks and tabs separate words. Return false if there is none. */
bool text_next_word(struct text_span *rest, struct text_span *word);

/* Return the span without the blanks and tabs around it. */
struct text_span text_trim(struct text_span span);

/* Return the span without its first `count` bytes. */
struct text_span text_behind(struct text_span span, size_t count);

bool text_is(struct text_span span, const char *text);
bool text_is_same(struct text_span a, struct text_span b);
bool text_begins(struct text_span span, const char *text);
bool text_has(struct text_span span, const char *part);

/* Return the number of digits at the start of the span. */
size_t text_digits(struct text_span span);

/* Return the value of the span's first `digits` digits, at most nine. */
unsigned text_number(struct text_span span, size_t digits);

/* Longest label or device name: IB_DEVICE_NAME_MAX is 64 with its NUL (include/rdma/ib_verbs.h). */
#define TOPO_NAME_MAX 63

/* Return true for 1 to TOPO_NAME_MAX letters, digits, `_`, `-` and `.`, the first a letter and the
 * last a letter or digit. */
bool text_is_name(struct text_span span);

/* Copy a span and append a NUL. It must fit. */
void text_copy(char *out, size_t size, struct text_span span);

#endif
