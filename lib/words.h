/* words - what to say of a word that is none of those which could stand in its place: the ones that
 * could, and the one that may have been meant. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_WORDS_H
#define NHM_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Longest word that may be meant by another. */
#define WORDS_NEAR_MAX 63

/* Room for all choices; what does not fit is left out. */
#define WORDS_LIST_MAX 1000

/* As much as is shown of the wrong word. */
#define WORDS_SHOWN_MAX 100

/* The caller's storage; its fields are those of this module. */
struct words {
	const char *word;
	size_t length;
	char nearest[WORDS_NEAR_MAX + 1];
	size_t distance; /* of the nearest */
	char list[WORDS_LIST_MAX];
	char text[WORDS_LIST_MAX + WORDS_NEAR_MAX + WORDS_SHOWN_MAX + 100];
};

/* Begins with the word that is wrong, `length` bytes, which stay the caller's. */
void words_begin(struct words *words, const char *word, size_t length);

/* A word that could stand in its place. */
void words_offer(struct words *words, const char *choice);

/* ` (did you mean "x"?)`, the nearest, if one is near enough to be a slip; else "". Lives as long
 * as `words`, or until the next call. */
const char *words_hint(struct words *words);

/* `unknown WHAT "WORD"`, the hint, and `; known: a, b, x`: all that were offered in their order.
 * Lives as long. */
const char *words_unknown(struct words *words, const char *what);

/* True if the `length` bytes are the word. */
bool words_equal(const char *word, const char *bytes, size_t length);

/* The place of a word in a list of `count`; `count` when it is none of them. */
size_t words_find(const char *const *list, size_t count, const char *word);

/* The same for a word that has to be one of them: NULL, and `*index` is its place; or what to say
 * of it, as words_unknown() does, and `*index` is as it was. */
const char *words_parse(struct words *words, const char *what, const char *const *list,
	size_t count, const char *word, size_t *index);

#endif
