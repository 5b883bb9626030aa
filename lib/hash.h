/* hash - FNV-1a, 64 bits: for tables in memory and for names that must be the same when a capture is replayed. */
#ifndef NHM_HASH_H
#define NHM_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Offset basis and prime of FNV-1a, 64 bits (RFC 9923). */
#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

/* Goes on from `hash`, HASH_START for the first bytes. */
static inline uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * HASH_PRIME;
	return hash;
}

#endif
