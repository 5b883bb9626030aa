/* sieve - finds a few dozen constant keys in a large text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sieve.h"

#include "wraps.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define STEP ((size_t)4)

/* Small enough for the first-level cache; with all keys fewer than 4 bits in a thousand are set. */
#define HASH_BITS 16
#define BITMAP_WORDS ((size_t)1 << (HASH_BITS - 6))

/* Hash chains of the grams to compare when a bit is set. */
#define CHAIN_BITS 10
#define CHAINS ((size_t)1 << CHAIN_BITS)

/* Texts that are frequent in kernel logs, faulty or not, and those of the driver more than once.
 * Grams of a key that occur here would cause too many useless comparisons. */
static const char common[] =
	"[ 1234.567890] mlx5_core 0000:18:00.0: mlx5_cmd_out_err:123:(pid 1234): failed, status: "
	"error, err(-5), timeout, timed out, detected, transmit queue on channel, Port module "
	"event: module 0, Cable unplugged, device slot power, mlx5e_, mlx5_ib, print_health_info, "
	"poll_health, synd 0x0, firmware internal, report "
	"Link up, Link down, NIC Link is Up, NIC Link is Down, link is not ready, link becomes "
	"ready, enabled, disabled, registered, unregistered, failed to load, unable to, driver "
	"version, initialized, is not supported, available, PCIe Error: severity=Corrected, type=, "
	"of device, received, changed, started, stopped, entered state, created, deleted, renamed "
	"from, running, task, process, memory, interrupt, bridge, resource, reserved, address, "
	"assigned, information, recovered, recovery, not responding, containing ";

/* A gram: four consecutive bytes of a key. */
struct gram {
	uint32_t bytes;
	uint32_t first;      /* first four bytes of the key */
	uint8_t key, offset; /* index of the key, and the gram's offset in it */
	uint16_t next;       /* next gram in the chain, counted from 1; 0: end */
};

struct sieve {
	uint64_t bitmap[BITMAP_WORDS];
	uint16_t chains[CHAINS];
	struct gram grams[SIEVE_KEYS_MAX * STEP];
	size_t gram_count;
	struct sieve_key keys[SIEVE_KEYS_MAX];
	size_t lengths[SIEVE_KEYS_MAX];
};

static inline uint32_t
load(const char *at)
{
	uint32_t bytes;
	memcpy(&bytes, at, sizeof bytes);
	return bytes;
}

/* Multiply modulo 2^32 by an odd constant, 2^32 divided by the golden ratio. The upper bits are
 * well mixed. */
WRAPS static inline uint32_t
hash_of(uint32_t bytes)
{
	return bytes * UINT32_C(2654435769);
}

/* Return nonzero if some key may have these four bytes. */
static inline uint64_t
mark(const struct sieve *sieve, uint32_t bytes)
{
	uint32_t bit = hash_of(bytes) >> (32 - HASH_BITS);
	return sieve->bitmap[bit >> 6] >> (bit & 63) & 1;
}

static inline size_t
chain_of(uint32_t bytes)
{
	return hash_of(bytes) >> (32 - CHAIN_BITS);
}

static void
add_gram(struct sieve *sieve, size_t key, size_t offset)
{
	uint32_t bytes = load(sieve->keys[key].text + offset);
	uint32_t bit = hash_of(bytes) >> (32 - HASH_BITS);
	uint16_t *chain = &sieve->chains[chain_of(bytes)];

	sieve->bitmap[bit >> 6] |= UINT64_C(1) << (bit & 63);
	sieve->grams[sieve->gram_count] = (struct gram){.first = load(sieve->keys[key].text),
		.bytes = bytes,
		.key = (uint8_t)key,
		.offset = (uint8_t)offset,
		.next = *chain};
	*chain = (uint16_t)++sieve->gram_count;
}

/* Return how often the gram occurs in `common`. */
static unsigned
commonness(const char *gram)
{
	unsigned found = 0;
	for (size_t at = 0; at + STEP < sizeof common; at++)
		found += memcmp(common + at, gram, STEP) == 0;
	return found;
}

/* Return the offset in the key at which four consecutive grams begin that are rarest in
 * `common`. */
static size_t
rarest(const char *key, size_t length)
{
	unsigned last[STEP] = {0}, sum = 0, least = UINT_MAX;
	size_t best = 0;
	for (size_t at = 0; at + STEP <= length; at++) {
		sum -= last[at % STEP];
		last[at % STEP] = commonness(key + at);
		sum += last[at % STEP];
		if (at >= STEP - 1 && sum < least) {
			least = sum;
			best = at - (STEP - 1);
		}
	}
	return best;
}

struct sieve *
sieve_new(const struct sieve_key *keys, size_t count)
{
	if (count > SIEVE_KEYS_MAX) {
		errno = EINVAL;
		return NULL;
	}
	struct sieve *sieve = calloc(1, sizeof *sieve);
	if (sieve == NULL)
		return NULL;
	for (size_t key = 0; key < count; key++) {
		sieve->keys[key] = keys[key];
		sieve->lengths[key] = strlen(keys[key].text);
		if (sieve->lengths[key] < SIEVE_KEY_MIN_BYTES) {
			free(sieve);
			errno = EINVAL;
			return NULL;
		}
		/* One gram for each alignment of the key to multiples of four. */
		size_t first = rarest(keys[key].text, sieve->lengths[key]);
		for (size_t offset = first; offset < first + STEP; offset++)
			add_gram(sieve, key, offset);
	}
	return sieve;
}

void
sieve_free(struct sieve *sieve)
{
	free(sieve);
}

/* Return the meanings of the keys that contain the bytes at `at`, a position marked in the bitmap,
 * and lie within bytes[from..length). */
static uint64_t
meaning_around(const struct sieve *sieve, const char *bytes, size_t from, size_t length, size_t at)
{
	uint32_t here = load(bytes + at);
	uint64_t found = 0;
	uint16_t next = sieve->chains[chain_of(here)];

	while (next != 0) {
		const struct gram *gram = &sieve->grams[next - 1];
		next = gram->next;
		if (gram->bytes != here || at < from + gram->offset)
			continue;
		size_t start = at - gram->offset;
		size_t key_length = sieve->lengths[gram->key];
		if (load(bytes + start) == gram->first && key_length <= length - start &&
			memcmp(bytes + start, sieve->keys[gram->key].text, key_length) == 0)
			found |= sieve->keys[gram->key].meaning;
	}
	return found;
}

static inline uint64_t
meaning_at(const struct sieve *sieve, const char *bytes, size_t from, size_t length, size_t at)
{
	return mark(sieve, load(bytes + at)) != 0 ? meaning_around(sieve, bytes, from, length, at)
						  : 0;
}

size_t
sieve_find(
	const struct sieve *sieve, const char *bytes, size_t from, size_t length, uint64_t *meaning)
{
	size_t at = from;

	/* Four positions at a time, so that the lookups run in parallel. */
	for (; length - at >= 4 * STEP; at += 4 * STEP) {
		uint64_t any = mark(sieve, load(bytes + at)) |
			       mark(sieve, load(bytes + at + STEP)) |
			       mark(sieve, load(bytes + at + 2 * STEP)) |
			       mark(sieve, load(bytes + at + 3 * STEP));
		if (any == 0)
			continue;
		for (size_t one = at; one < at + 4 * STEP; one += STEP) {
			*meaning = meaning_at(sieve, bytes, from, length, one);
			if (*meaning != 0)
				return one;
		}
	}
	for (; length - at >= STEP; at += STEP) {
		*meaning = meaning_at(sieve, bytes, from, length, at);
		if (*meaning != 0)
			return at;
	}
	*meaning = 0;
	return length;
}

uint64_t
sieve_meaning(const struct sieve *sieve, const char *bytes, size_t from, size_t at, size_t end)
{
	uint64_t found = 0;
	for (; end - at >= STEP; at += STEP)
		found |= meaning_at(sieve, bytes, from, end, at);
	return found;
}
