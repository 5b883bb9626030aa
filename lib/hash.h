/* hash - 64-bit FNV-1a, for hash tables and for names that must be the same when a capture is
 * replayed. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_HASH_H
#define NHM_HASH_H

#include "wraps.h"

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Offset basis and prime of 64-bit FNV-1a (RFC 9923). */
#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

/* Continue `hash` with more bytes; begin with HASH_START. FNV-1a multiplies modulo 2^64. */
WRAPS static inline uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * HASH_PRIME;
	return hash;
}

/* Continue with one word. A multiplication moves bits only up: fold the upper half down. */
WRAPS static inline uint64_t
hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* Hash eight bytes at a time, for frequent use: the same on every machine, but not FNV-1a. The
 * length is hashed too. Multiplies modulo 2^64. */
WRAPS static inline uint64_t
hash_words(uint64_t hash, const char *bytes, size_t length)
{
	size_t left = length;
	hash = (hash ^ (uint64_t)length) * HASH_PRIME;
	for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), bytes += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, bytes, sizeof word);
		hash = hash_word(hash, le64toh(word));
	}
	/* Most texts are shorter than a word: collect the rest without a call of memcpy(). */
	uint64_t rest = 0;
	for (size_t i = 0; i < left; i++)
		rest |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
	return left > 0 ? hash_word(hash, rest) : hash;
}

/* The same for a text, without its NUL. */
static inline uint64_t
hash_text(uint64_t hash, const char *text)
{
	return hash_words(hash, text, strlen(text));
}

/* Add the hash of one item to a sum that does not depend on the order of items, modulo 2^64. */
WRAPS static inline uint64_t
hash_sum(uint64_t sum, uint64_t hash)
{
	return sum + hash;
}

#endif
