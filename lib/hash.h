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

/* Hash eight bytes at a time, for frequent use: the same on every machine, but not FNV-1a. The
 * length is hashed too. Multiplies modulo 2^64. */
WRAPS static inline uint64_t
hash_words(uint64_t hash, const char *bytes, size_t length)
{
	uint64_t left = length;
	hash = (hash ^ left) * HASH_PRIME;
	while (left > 0) {
		uint64_t word = 0;
		size_t taken = left < sizeof word ? (size_t)left : sizeof word;
		memcpy(&word, bytes, taken);
		/* A multiplication moves bits only up: fold the upper half down. */
		hash = (hash ^ le64toh(word)) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
		bytes += taken;
		left -= taken;
	}
	return hash;
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
