/* words - reports an unknown word, lists the known ones and suggests the nearest. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_WORDS_H
#define NHM_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Longest word that is compared to find the nearest. */
#define WORDS_NEAR_MAX 63

/* Size of the list of choices; those that do not fit are left out. */
#define WORDS_LIST_MAX 1000

/* Most bytes shown of the unknown word. */
#define WORDS_SHOWN_MAX 100

/* The caller's storage; only this module uses its fields. */
struct words {
	const char *word;
	size_t length;
	char nearest[WORDS_NEAR_MAX + 1];
	size_t distance; /* of the nearest */
	char list[WORDS_LIST_MAX];
	char text[WORDS_LIST_MAX + WORDS_NEAR_MAX + WORDS_SHOWN_MAX + 100];
};

/* Begin with the unknown word, `length` bytes, borrowed. */
void words_begin(struct words *words, const char *word, size_t length);

/* Add a known word. */
void words_offer(struct words *words, const char *choice);

/* Return ` (did you mean "x"?)` with the nearest known word, or "" if none is near enough to be
 * meant. Valid as long as `words`, or until the next call. */
const char *words_hint(struct words *words);

/* Return `unknown WHAT "WORD"`, the hint, and `; known: a, b, x` with all known words in the order
 * in which they were added. Valid like words_hint(). */
const char *words_unknown(struct words *words, const char *what);

/* Return whether the `length` bytes equal the word. */
bool words_equal(const char *word, const char *bytes, size_t length);

/* Return the index of a word in a list of `count`, or `count` if it is not there. */
size_t words_find(const char *const *list, size_t count, const char *word);

/* The same for a word that must be in the list: set `*index` and return NULL, or return the message
 * of words_unknown() and leave `*index` unchanged. */
const char *words_parse(struct words *words, const char *what, const char *const *list,
	size_t count, const char *word, size_t *index);

#endif
