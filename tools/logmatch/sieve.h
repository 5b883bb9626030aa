/* sieve - finds a few dozen constant keys in a large text, in one pass that inspects few of its
 * bytes.
 *
 * Wherever a key of 7 bytes or more lies, it contains four consecutive bytes that begin at a
 * multiple of four. So the sieve checks only every fourth position against a bitmap of the
 * four-byte grams of the keys, and compares keys only where the bitmap has a bit set. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_SIEVE_H
#define LOGMATCH_SIEVE_H

#include <stddef.h>
#include <stdint.h>

/* Shortest key, and largest number of keys. */
#define SIEVE_KEY_MIN_BYTES 7
#define SIEVE_KEYS_MAX 128

struct sieve;

/* A text to find, and its meaning: bits that the caller defines. */
struct sieve_key {
	const char *text;
	uint64_t meaning;
};

/* Create a sieve of `count` keys. Their texts are not copied and must outlive it. Return NULL with
 * errno: EINVAL if a key is too short or there are too many. Free with sieve_free(). */
struct sieve *sieve_new(const struct sieve_key *keys, size_t count);

/* NULL is allowed. */
void sieve_free(struct sieve *sieve);

/* Return a position within the first key at or after `from` that lies in bytes[from..length), and
 * in `*meaning` the meanings of the keys there; `length` if there is none. No whole key lies before
 * that position. */
size_t sieve_find(const struct sieve *sieve, const char *bytes, size_t from, size_t length,
	uint64_t *meaning);

/* Return the meanings of all keys within bytes[from..end); 0: none. `at` is where to start: `from`,
 * or the result of sieve_find() for this `from`. */
uint64_t sieve_meaning(
	const struct sieve *sieve, const char *bytes, size_t from, size_t at, size_t end);

#endif
