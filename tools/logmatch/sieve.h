/* sieve - finds where in a large text one of a few dozen constant keys may be, in one pass that
 * looks at few of the bytes one by one.
 *
 * A key of 7 bytes or more holds, wherever it lies, four bytes in a row that begin at a multiple of
 * four. So the sieve looks up every fourth position in a bitmap of the four bytes that keys have,
 * and compares keys only where the bitmap says "perhaps". */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_SIEVE_H
#define LOGMATCH_SIEVE_H

#include <stddef.h>
#include <stdint.h>

/* Shortest key, and how many there may be. */
#define SIEVE_KEY_MIN_BYTES 7
#define SIEVE_KEYS_MAX 128

struct sieve;

/* A text that is looked for, and what it means that it is there: bits of the caller's. */
struct sieve_key {
	const char *text;
	uint64_t meaning;
};

/* Of `count` keys, whose texts are kept, not copied. NULL with errno: EINVAL when one is too short
 * or there are too many. Free with sieve_free(). */
struct sieve *sieve_new(const struct sieve_key *keys, size_t count);

/* NULL is allowed. */
void sieve_free(struct sieve *sieve);

/* A position in the first key found at or after `from`, of which all is in bytes[from..length), and
 * in `*meaning` what the keys there mean; `length` when there is none. No whole key lies before
 * it. */
size_t sieve_find(const struct sieve *sieve, const char *bytes, size_t from, size_t length,
	uint64_t *meaning);

/* What all keys mean of which all is in bytes[from..end), but those that sieve_find() would find
 * before `at`: that is, `at` is `from`, or what sieve_find() gave for this `from`. 0: there are
 * none. */
uint64_t sieve_meaning(
	const struct sieve *sieve, const char *bytes, size_t from, size_t at, size_t end);

#endif
