/* Unit tests of logmatch's sieve: it finds the same keys as a plain search, at every position. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/sieve.h"

#include "check.h"
#include "randomness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define KEY_ROOM 24

/* Keys over a small alphabet, so that they overlap and share prefixes. */
struct keys {
	char texts[SIEVE_KEYS_MAX][KEY_ROOM];
	struct sieve_key keys[SIEVE_KEYS_MAX];
	size_t count;
};

static void
make_keys(struct keys *keys, uint64_t *state, size_t count, size_t letters)
{
	keys->count = count;
	for (size_t i = 0; i < count; i++) {
		size_t length = SIEVE_KEY_MIN_BYTES + randomness_below(state, 12);
		for (size_t at = 0; at < length; at++)
			keys->texts[i][at] = (char)('a' + (char)randomness_below(state, letters));
		keys->texts[i][length] = '\0';
		keys->keys[i] = (struct sieve_key){keys->texts[i], UINT64_C(1) << (i % 64)};
	}
}

/* Return bytes that fill their memory exactly, so that the sanitizer detects a step beyond either
 * end. */
static char *
make_text_new(const struct keys *keys, uint64_t *state, size_t length, size_t letters)
{
	char *text = malloc(length > 0 ? length : 1);
	for (size_t at = 0; at < length; at++)
		text[at] = (char)('a' + (char)randomness_below(state, letters));
	for (size_t planted = randomness_below(state, 3); planted > 0; planted--) {
		const char *key = keys->texts[randomness_below(state, keys->count)];
		if (strlen(key) > length)
			continue;
		size_t last = length - strlen(key);
		size_t where[] = {0, last, randomness_below(state, last + 1)};
		memcpy(text + where[randomness_below(state, 3)], key, strlen(key));
	}
	return text;
}

static uint64_t
plain_meaning(const struct keys *keys, const char *text, size_t length)
{
	uint64_t found = 0;
	for (size_t i = 0; i < keys->count; i++) {
		if (memmem(text, length, keys->texts[i], strlen(keys->texts[i])) != NULL)
			found |= keys->keys[i].meaning;
	}
	return found;
}

/* Return true if `at` is inside a key that the text contains from `from` on. */
static bool
is_in_key(const struct keys *keys, const char *text, size_t from, size_t length, size_t at)
{
	for (size_t i = 0; i < keys->count; i++) {
		size_t size = strlen(keys->texts[i]);
		for (size_t start = from; start <= at && start + size <= length; start++) {
			if (at < start + size && memcmp(text + start, keys->texts[i], size) == 0)
				return true;
		}
	}
	return false;
}

static uint64_t
meaning_of(const struct sieve *sieve, const char *text, size_t length)
{
	return sieve_meaning(sieve, text, 0, 0, length);
}

static size_t
find_from(const struct sieve *sieve, const char *text, size_t from, size_t length)
{
	uint64_t meaning;
	return sieve_find(sieve, text, from, length, &meaning);
}

static void
check_text(const struct sieve *sieve, const struct keys *keys, const char *text, size_t from,
	size_t length)
{
	uint64_t meaning;
	size_t at = sieve_find(sieve, text, from, length, &meaning);
	bool any = plain_meaning(keys, text + from, length - from) != 0;

	CHECK_INT(at < length, any);
	if (at < length) {
		CHECK(at >= from);
		CHECK(is_in_key(keys, text, from, length, at));
	}
	/* No whole key is skipped. */
	CHECK_U64(plain_meaning(keys, text + from, at - from), 0);
	CHECK_U64(sieve_meaning(sieve, text, from, from, length),
		plain_meaning(keys, text + from, length - from));
	/* The meanings of the first keys are not lost either. */
	CHECK_U64(sieve_meaning(sieve, text, from, at, length),
		plain_meaning(keys, text + from, length - from));
	CHECK_U64(meaning & ~plain_meaning(keys, text + from, length - from), 0);
	CHECK_INT(meaning != 0, any);
}

static void
random_texts(void)
{
	static struct keys keys;
	uint64_t state = 5;
	for (size_t round = 0; round < 200; round++) {
		size_t letters = 2 + randomness_below(&state, 20);
		make_keys(&keys, &state, 1 + randomness_below(&state, 40), letters);
		struct sieve *sieve = sieve_new(keys.keys, keys.count);
		for (size_t i = 0; i < 60; i++) {
			size_t length = randomness_below(&state, 120);
			size_t from = randomness_below(&state, length + 1);
			char *text = make_text_new(&keys, &state, length, letters);
			check_row("round %zu, text %zu: %.*s from %zu", round, i, (int)length, text,
				from);
			check_text(sieve, &keys, text, from, length);
			free(text);
		}
		sieve_free(sieve);
	}
}

/* Each key alone in a text without other matches, at each position. */
static void
every_place(void)
{
	static struct keys keys;
	uint64_t state = 6;
	make_keys(&keys, &state, 30, 26);
	struct sieve *sieve = sieve_new(keys.keys, keys.count);
	for (size_t key = 0; key < keys.count; key++) {
		size_t size = strlen(keys.texts[key]);
		for (size_t start = 0; start < 40; start++) {
			for (size_t behind = 0; behind < 20; behind += 19) {
				size_t length = start + size + behind;
				char *text = malloc(length);
				memset(text, '-', length);
				memcpy(text + start, keys.texts[key], size);
				check_row("%s at %zu of %zu", keys.texts[key], start, length);
				for (size_t from = 0; from <= start; from++) {
					size_t at = find_from(sieve, text, from, length);
					CHECK(at >= start && at < start + size);
				}
				CHECK_U64(find_from(sieve, text, start + 1, length), length);
				CHECK_U64(find_from(sieve, text, 0, start + size - 1),
					start + size - 1);
				CHECK_U64(meaning_of(sieve, text + start, size),
					keys.keys[key].meaning);
				CHECK_U64(meaning_of(sieve, text + start, size - 1), 0);
				free(text);
			}
		}
	}
	sieve_free(sieve);
}

static void
any_byte(void)
{
	static const struct sieve_key keys[] = {
		{"\xFF\xFE\xFD\xFC\xFB\xFA\xF9", 1}, {"\x01\x02\x03\x04\x05\x06\x07", 2}};
	struct sieve *sieve = sieve_new(keys, CHECK_COUNT(keys));
	static const char zeros[100];
	CHECK_U64(find_from(sieve, zeros, 0, sizeof zeros), sizeof zeros);
	CHECK_U64(meaning_of(sieve, "\0\xFF\xFE\xFD\xFC\xFB\xFA\xF9\0", 9), 1);
	CHECK_U64(meaning_of(sieve, "\x01\x02\x03\x04\x05\x06\x07", 7), 2);
	CHECK_U64(meaning_of(sieve, "\x01\x02\x03\x04\x05\x06\x08", 7), 0);
	sieve_free(sieve);
}

static void
one_in_another(void)
{
	static const struct sieve_key keys[] = {
		{"a synd 0x10: b", 1}, {" synd 0x", 2}, {"0x10: b", 4}};
	struct sieve *sieve = sieve_new(keys, CHECK_COUNT(keys));
	CHECK_U64(meaning_of(sieve, "a synd 0x10: b", 14), 7);
	CHECK_U64(meaning_of(sieve, "a synd 0x11: b", 14), 2);
	sieve_free(sieve);
}

static void
bounds(void)
{
	static struct sieve_key keys[SIEVE_KEYS_MAX + 1];
	static char texts[SIEVE_KEYS_MAX + 1][KEY_ROOM];
	for (size_t i = 0; i <= SIEVE_KEYS_MAX; i++) {
		snprintf(texts[i], sizeof texts[i], "%07zu", i);
		keys[i] = (struct sieve_key){texts[i], i + 1};
	}
	struct sieve *sieve = sieve_new(keys, SIEVE_KEYS_MAX);
	for (size_t i = 0; CHECK(sieve != NULL) && i < SIEVE_KEYS_MAX; i++)
		CHECK_U64(meaning_of(sieve, texts[i], 7), i + 1);
	sieve_free(sieve);
	errno = 0;
	CHECK(sieve_new(keys, SIEVE_KEYS_MAX + 1) == NULL);
	CHECK_INT(errno, EINVAL);
	errno = 0;
	CHECK(sieve_new(&(struct sieve_key){"sixsix", 1}, 1) == NULL);
	CHECK_INT(errno, EINVAL);
	sieve = sieve_new(keys, 0);
	if (CHECK(sieve != NULL))
		CHECK_U64(find_from(sieve, "0000001 0000002", 0, 15), 15);
	sieve_free(sieve);
	sieve_free(NULL);
}

static const struct check_test tests[] = {
	{"the sieve finds the same as a plain search, in any text, from any position",
		random_texts},
	{"a key is found at each position, including the very start and end", every_place},
	{"keys and texts may contain any bytes", any_byte},
	{"a key within another key is found with it", one_in_another},
	{"short keys and too many keys are refused, and zero keys are allowed", bounds},
};
CHECK_MAIN(tests)
