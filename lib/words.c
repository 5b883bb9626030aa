/* words - reports an unknown word, lists the known ones and suggests the nearest. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* One letter in this many may be wrong. */
#define LETTERS_PER_SLIP 3

static size_t
smallest(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int
letter(const char *word, size_t at)
{
	return tolower((unsigned char)word[at]);
}

/* Return how many letters must be added, removed, replaced or swapped with their neighbour to turn
 * one word into the other, ignoring case. Both are at most WORDS_NEAR_MAX long. */
static size_t
distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	/* The rows of the current letter of `a` and of the two before it. */
	size_t rows[3][WORDS_NEAR_MAX + 1];
	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *now = rows[i % 3], *before = rows[(i - 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t same = letter(a, i - 1) == letter(b, j - 1) ? 0 : 1;
			now[j] =
				smallest(before[j - 1] + same, smallest(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && letter(a, i - 1) == letter(b, j - 2) &&
				letter(a, i - 2) == letter(b, j - 1))
				now[j] = smallest(now[j], rows[(i - 2) % 3][j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

void
words_begin(struct words *words, const char *word, size_t length)
{
	*words = (struct words){.word = word, .length = length};
}

void
words_offer(struct words *words, const char *choice)
{
	size_t used = strlen(words->list), length = strlen(choice);
	const char *separator = used > 0 ? ", " : "";
	if (used + strlen(separator) + length < sizeof words->list)
		strcat(strcat(words->list, separator), choice);

	if (words->length == 0 || words->length > WORDS_NEAR_MAX || length > WORDS_NEAR_MAX)
		return;
	size_t away = distance(words->word, words->length, choice, length);
	if (away > words->length / LETTERS_PER_SLIP ||
		(*words->nearest != '\0' && away >= words->distance))
		return;
	words->distance = away;
	memcpy(words->nearest, choice, length + 1);
}

/* Format and arguments of the hint. */
#define HINT "%s%s%s"
#define HINT_OF(words) \
	*(words)->nearest != '\0' ? " (did you mean \"" : "", (words)->nearest, \
		*(words)->nearest != '\0' ? "\"?)" : ""

const char *
words_hint(struct words *words)
{
	snprintf(words->text, sizeof words->text, HINT, HINT_OF(words));
	return words->text;
}

const char *
words_unknown(struct words *words, const char *what)
{
	snprintf(words->text, sizeof words->text, "unknown %s \"%.*s\"" HINT "; known: %s", what,
		(int)smallest(words->length, WORDS_SHOWN_MAX), words->word, HINT_OF(words),
		words->list);
	return words->text;
}

bool
words_equal(const char *word, const char *bytes, size_t length)
{
	return strlen(word) == length && memcmp(word, bytes, length) == 0;
}

size_t
words_find(const char *const *list, size_t count, const char *word)
{
	size_t i = 0;
	while (i < count && strcmp(list[i], word) != 0)
		i++;
	return i;
}

const char *
words_parse(struct words *words, const char *what, const char *const *list, size_t count,
	const char *word, size_t *index)
{
	size_t found = words_find(list, count, word);
	if (found < count) {
		*index = found;
		return NULL;
	}
	words_begin(words, word, strlen(word));
	for (size_t i = 0; i < count; i++)
		words_offer(words, list[i]);
	return words_unknown(words, what);
}
