/* Unit tests of hash: FNV-1a, 64 bits, and the hash of words. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "hash.h"

#include "check.h"

struct hashed {
	const char *text;
	uint64_t hash;
};

static void
check_hashes(
	uint64_t (*hash)(uint64_t start, const char *text), const struct hashed *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		check_row("\"%s\"", rows[i].text);
		CHECK_U64(hash(HASH_START, rows[i].text), rows[i].hash);
	}
}

static uint64_t
hash_text_bytes(uint64_t start, const char *text)
{
	return hash_bytes(start, text, strlen(text));
}

static void
vectors(void)
{
	static const struct hashed rows[] = {
		{"", UINT64_C(0xcbf29ce484222325)},
		{"a", UINT64_C(0xaf63dc4c8601ec8c)},
		{"foobar", UINT64_C(0x85944171f73967e8)},
	};
	check_hashes(hash_text_bytes, rows, CHECK_COUNT(rows));
}

static void
continues(void)
{
	uint64_t parts = hash_bytes(hash_bytes(HASH_START, "foo", 3), "bar", 3);
	CHECK_U64(parts, hash_bytes(HASH_START, "foobar", 6));
}

static void
high_bytes(void)
{
	/* As unsigned char, even if char is signed: (offset ^ 0xff) * prime. */
	CHECK_U64(hash_bytes(HASH_START, "\xFF", 1), UINT64_C(0xaf64724c8602eb6e));
	CHECK(hash_bytes(HASH_START, "\0", 1) != HASH_START);
}

/* Computed once, so that no machine and no change gives others. */
static void
words(void)
{
	static const struct hashed rows[] = {
		{"", UINT64_C(0xaf63bd4c8601b7df)},
		{"mlx5_0", UINT64_C(0xa2bde16bbdcd88cf)},
		{"mlx5_0:1", UINT64_C(0xc2405f65ac272847)},
		{"mlx5_0:1:link_d", UINT64_C(0x3ac73a9416a46f2d)},
		{"mlx5_0:1:link_do", UINT64_C(0xc734131a9afd2a9f)},
		{"mlx5_0:1:link_downed", UINT64_C(0x948768a96d1ac846)},
		{"\xFF\x80\x01", UINT64_C(0x39ad8a81fffa0b70)},
	};
	check_hashes(hash_text, rows, CHECK_COUNT(rows));
	CHECK(hash_words(HASH_START, "\0\0", 1) != hash_words(HASH_START, "\0\0", 2));
}

static const struct check_test tests[] = {
	{"the published test vectors match", vectors},
	{"a text hashed in parts has the hash of the whole", continues},
	{"bytes above 127 and NUL count", high_bytes},
	{"the hash of words is the same everywhere, at every length of the rest", words},
};
CHECK_MAIN(tests)
