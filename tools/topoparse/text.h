/* text - captured terminal output made plain, and cut into lines and words. */
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
	bool is_ended;         /* false for a last line without newline, which may have been cut */
};

/* For "%.*s": a part that is not too long for a message. */
#define TEXT_SHOWN(span) ((int)((span).length < 40 ? (span).length : 40)), (span).at

/* A copy without a byte order mark and without escape sequences, to free(); NULL when memory runs
 * out. Moves to the right become a blank, moves elsewhere count only before anything stands on the
 * line; where they would mix lines up, and where a sequence has no end, they stay, so that the word
 * around them is unknown. */
char *text_clean_new(const char *text, size_t length, size_t *clean_length);

/* Cuts the next line off `rest`, whose length and text go on after it. `line->number` goes up by
 * one: start with 0. */
bool text_next_line(struct text_span *rest, struct text_line *line);

/* Cuts the next word off `rest`; words are what stands between blanks and tabs. */
bool text_next_word(struct text_span *rest, struct text_span *word);

/* The span without the blanks and tabs around it. */
struct text_span text_trim(struct text_span span);

/* What is left of a span after its first `count` bytes. */
struct text_span text_behind(struct text_span span, size_t count);

bool text_is(struct text_span span, const char *text);
bool text_is_same(struct text_span a, struct text_span b);
bool text_begins(struct text_span span, const char *text);
bool text_has(struct text_span span, const char *part);

/* The digits that the span begins with. */
size_t text_digits(struct text_span span);

/* The number that the span's first digits are, at most nine of them. */
unsigned text_number(struct text_span span, size_t digits);

/* Longest label or device name: IB_DEVICE_NAME_MAX is 64 with its NUL (include/rdma/ib_verbs.h). */
#define TOPO_NAME_MAX 63

/* True for 1 to TOPO_NAME_MAX letters, digits, `_`, `-` and `.`, a letter first and a letter or
 * digit last. */
bool text_is_name(struct text_span span);

/* Copies a span that fits, with a NUL. */
void text_copy(char *out, size_t size, struct text_span span);

#endif
